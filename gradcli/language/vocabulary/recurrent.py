"""Recurrent layers and their cells, as functions of their weights: a state carried from one step to the next."""

from __future__ import annotations

from gradcli.language.vocabulary.function import family, row

SEQUENCES = (
    "(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)"
    " | (data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional)"
)
STEP = "(input, hx, w_ih, w_hh, b_ih=None, b_hh=None)"
ZERO = {"smooth": "no unit at 0 before its relu", "kinks": "0", "at_kinks": "torch takes 0 at 0."}

FUNCTIONS = family(
    "recurrent",
    row(
        "lstm",
        "torch",
        SEQUENCES,
        "Long short-term memory over sequences: outputs, last hidden state, last cell state.",
    ),
    row("gru", "torch", SEQUENCES, "Gated recurrent unit over sequences: outputs and last hidden state."),
    row("rnn_tanh", "torch", SEQUENCES, "Recurrent layer with tanh over sequences: outputs and last hidden state."),
    row(
        "rnn_relu",
        "torch",
        SEQUENCES,
        "Recurrent layer with relu over sequences: outputs and last hidden state.",
        **ZERO,
    ),
    random=True,
) + family(
    "recurrent",
    row("lstm_cell", "torch", STEP, "One step of an lstm: hidden state and cell state, from a pair of them."),
    row("gru_cell", "torch", STEP, "One step of a gru."),
    row("rnn_tanh_cell", "torch", STEP, "One step of a recurrent layer with tanh."),
    row("rnn_relu_cell", "torch", STEP, "One step of a recurrent layer with relu.", **ZERO),
)
