"""Attention, and the tables of vectors that turn indices into its inputs."""

from __future__ import annotations

from gradcli.language.vocabulary.function import family, row

FUNCTIONS = family(
    "attention",
    row(
        "scaled_dot_product_attention",
        "F",
        "(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None, enable_gqa=False)",
        "softmax(query @ key.mT * scale) @ value, masked; random if dropout_p > 0.",
        random=True,
    ),
    row(
        "multi_head_attention_forward",
        "F",
        "(query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v,"
        " add_zero_attn, dropout_p, out_proj_weight, out_proj_bias, training=True, key_padding_mask=None,"
        " need_weights=True, attn_mask=None, use_separate_proj_weight=False, q_proj_weight=None,"
        " k_proj_weight=None, v_proj_weight=None, static_k=None, static_v=None, average_attn_weights=True,"
        " is_causal=False)",
        "Multi-head attention and its weights; random if training with dropout_p > 0.",
        random=True,
    ),
    row(
        "embedding",
        "F torch",
        "F(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False)"
        " | (weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False)",
        "Rows of weight at the indices input; max_norm shortens these rows in place.",
    ),
    row(
        "embedding_bag",
        "F torch",
        "F(input, weight, offsets=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, mode='mean',"
        " sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=None)"
        " | (weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False, per_sample_weights=None,"
        " include_last_offset=False, padding_idx=None)",
        "Sum, mean or maximum of the rows of weight at each bag of indices.",
        smooth="mode is not max, or no ties within a bag",
        strings={"mode": "sum mean max"},
    ),
    row(
        "embedding_renorm",
        "torch.embedding_renorm_",
        "(input, indices, max_norm, norm_type)",
        "The rows at the indices shortened to max_norm.",
        differentiable=False,
        smooth="nowhere",
    ),
    row(
        "one_hot",
        "F",
        "(input, num_classes=-1)",
        "1 at each index and 0 at the other classes, as integers.",
        differentiable=False,
        smooth="nowhere",
        grows="classes",
    ),
)
