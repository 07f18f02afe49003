"""Losses: how far predictions are from their targets, as a number or one per sample."""

from __future__ import annotations

from gradcli.language.vocabulary.function import family, row

FUNCTIONS = family(
    "losses",
    row(
        "l1_loss",
        "F",
        "(input, target, size_average=None, reduce=None, reduction='mean', weight=None)",
        "Absolute difference of input and target.",
        smooth="input != target",
        kinks="zero",
        at_kinks="torch takes 0 where input equals target.",
    ),
    row(
        "mse_loss",
        "F",
        "(input, target, size_average=None, reduce=None, reduction='mean', weight=None)",
        "Squared difference of input and target.",
    ),
    row(
        "smooth_l1_loss",
        "F",
        "(input, target, size_average=None, reduce=None, reduction='mean', beta=1.0)",
        "Absolute difference, rounded to a parabola below beta.",
        smooth="beta > 0 or input != target",
        kinks="zero",
        at_kinks="torch takes 0 where input equals target.",
    ),
    row(
        "huber_loss",
        "F",
        "(input, target, reduction='mean', delta=1.0, weight=None)",
        "Half the squared difference below delta, linear above.",
    ),
    row(
        "cross_entropy",
        "F",
        "(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean',"
        " label_smoothing=0.0)",
        "Cross entropy of scores (logits) and class indices or class probabilities.",
    ),
    row(
        "linear_cross_entropy",
        "F",
        "(input, linear_weight, target, *, linear_bias=None, weight=None, reduction='mean', ignore_index=None,"
        " label_smoothing=0.0, options=None)",
        "Cross entropy of a linear layer's scores, layer and loss in one.",
    ),
    row(
        "LinearCrossEntropyOptions",
        "nn",
        "(allow_retain_graph=False, batch_chunk_size=None, chunking_method='auto', acc_policy='auto', acc_dtype=None)",
        "How linear_cross_entropy cuts its work into pieces, as its options.",
        makes="facts",
        differentiable=False,
        smooth="nowhere",
        strings={"chunking_method": "*", "acc_policy": "accurate balanced compact auto"},
    ),
    row(
        "nll_loss",
        "F",
        "(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean')",
        "Negative of the target class's log probability.",
    ),
    row(
        "binary_cross_entropy",
        "F",
        "(input, target, weight=None, size_average=None, reduce=None, reduction='mean')",
        "Cross entropy of probabilities and 0-to-1 targets; logarithms held at -100.",
        smooth="0 < input < 1",
    ),
    row(
        "binary_cross_entropy_with_logits",
        "F torch",
        "F(input, target, weight=None, size_average=None, reduce=None, reduction='mean', pos_weight=None)"
        " | (input, target, weight=None, pos_weight=None, reduction=1)",
        "Cross entropy of the sigmoid of scores (logits) and 0-to-1 targets.",
    ),
    row(
        "kl_div",
        "F torch",
        "F(input, target, size_average=None, reduce=None, reduction='mean', log_target=False)"
        " | (input, target, reduction=1, *, log_target=False)",
        "Kullback-Leibler divergence of the target from input, a log probability.",
        smooth="target > 0 or log_target",
        strings={"reduction": "none mean sum batchmean"},
    ),
    row(
        "poisson_nll_loss",
        "F torch",
        "F(input, target, log_input=True, full=False, size_average=None, eps=1e-08, reduce=None, reduction='mean')"
        " | (input, target, log_input, full, eps, reduction)",
        "Negative log likelihood of Poisson counts; input is the log rate or the rate.",
        smooth="log_input or input + eps > 0",
    ),
    row(
        "gaussian_nll_loss",
        "F",
        "(input, target, var, full=False, eps=1e-06, reduction='mean')",
        "Negative log likelihood of a normal distribution with variance var.",
        smooth="var > eps",
    ),
    row(
        "ctc_loss",
        "F torch",
        "F(log_probs, targets, input_lengths, target_lengths, blank=0, reduction='mean', zero_infinity=False)"
        " | (log_probs, targets, input_lengths, target_lengths, blank=0, reduction=1, zero_infinity=False)",
        "Connectionist temporal classification: a sequence against an unaligned target.",
    ),
    row(
        "hinge_embedding_loss",
        "F torch",
        "F(input, target, margin=1.0, size_average=None, reduce=None, reduction='mean')"
        " | (input, target, margin=1.0, reduction=1)",
        "Input where target is 1; how far it is below margin where target is -1.",
        smooth="input != margin or target == 1",
        kinks="bounds",
        at_kinks="torch takes -1 at margin.",
    ),
    row(
        "margin_ranking_loss",
        "F torch",
        "F(input1, input2, target, margin=0.0, size_average=None, reduce=None, reduction='mean')"
        " | (input1, input2, target, margin=0.0, reduction=1)",
        "How much input1 fails to exceed input2 by margin (target 1), or the reverse (-1).",
        smooth="target * (input1 - input2) != margin",
        kinks="zero",
        at_kinks="torch takes the slope of the margin not met.",
    ),
    row(
        "cosine_embedding_loss",
        "F torch",
        "F(input1, input2, target, margin=0.0, size_average=None, reduce=None, reduction='mean')"
        " | (input1, input2, target, margin=0.0, reduction=1)",
        "1 - cosine similarity where target is 1; its excess over margin where -1.",
        smooth="input1 != 0 and input2 != 0 and (target == 1 or similarity != margin)",
        kinks="zero",
        at_kinks="A zero vector's slope is huge but finite; similarity at margin counts as above it.",
    ),
    row(
        "soft_margin_loss",
        "F",
        "(input, target, size_average=None, reduce=None, reduction='mean')",
        "log(1 + exp(-target * input)), for targets 1 and -1.",
    ),
    row(
        "multi_margin_loss",
        "F",
        "(input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction='mean')",
        "How much other classes' scores come within margin of the target's, to the power p.",
        smooth="p == 2 or no score exactly margin below the target's",
        kinks="bounds",
        at_kinks="torch takes 0 where the margin is met exactly.",
    ),
    row(
        "multilabel_margin_loss",
        "F",
        "(input, target, size_average=None, reduce=None, reduction='mean')",
        "How much other classes' scores come within 1 of each target class's.",
        smooth="no score exactly 1 below a target class's",
        kinks="bounds",
        at_kinks="torch takes 0 where the margin is met exactly.",
    ),
    row(
        "multilabel_soft_margin_loss",
        "F",
        "(input, target, weight=None, size_average=None, reduce=None, reduction='mean')",
        "Binary cross entropy with logits, averaged over the classes.",
    ),
    row(
        "triplet_margin_loss",
        "F torch",
        "F(anchor, positive, negative, margin=1.0, p=2.0, eps=1e-06, swap=False, size_average=None, reduce=None,"
        " reduction='mean') | (anchor, positive, negative, margin=1.0, p=2.0, eps=1e-06, swap=False, reduction=1)",
        "How much the anchor fails to be nearer to positive than to negative, by margin.",
        smooth="distances differ by other than margin and are not 0",
        kinks="bounds",
        at_kinks="torch takes the slope of the margin not met.",
    ),
    row(
        "triplet_margin_with_distance_loss",
        "F",
        "(anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False, reduction='mean')",
        "The same as triplet_margin_loss, with a distance of one's choice.",
        named={"distance_function": "pairwise_distance cosine_similarity"},
        smooth="distances differ by other than margin and are not 0",
        kinks="bounds",
        at_kinks="torch takes the slope of the margin not met.",
    ),
    strings={"reduction": "none mean sum"},
)
