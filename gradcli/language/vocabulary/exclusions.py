"""Public functions of torch that are no part of the language, each with its reason: what the allow-list leaves out.

A name of torch that takes or returns tensors is either in the vocabulary or here; a test holds that. `cudnn_*` stands
for every name that begins so.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import cache

from gradcli.language.vocabulary.function import NAMESPACES

# Reason -> the names that it holds for, each with its short namespace.
EXCLUSIONS: dict[str, str] = {
    "it shows memory that nothing has written to yet": """
        torch.empty torch.empty_like torch.empty_permuted torch.empty_quantized torch.empty_strided
        Tensor.new Tensor.new_empty Tensor.new_empty_strided""",
    "it shows or rearranges raw memory": """
        torch.as_strided torch.as_strided_ torch.as_strided_copy torch.as_strided_scatter
        torch.resize_as_ torch.resize_as_sparse_ torch.hash_tensor
        Tensor.as_strided Tensor.as_strided_ Tensor.as_strided_scatter Tensor.resize Tensor.resize_ Tensor.resize_as
        Tensor.resize_as_ Tensor.resize_as_sparse_ Tensor.set_ Tensor.storage Tensor.untyped_storage
        Tensor.storage_offset Tensor.storage_type Tensor.stride Tensor.dim_order Tensor.data_ptr Tensor.const_data_ptr
        Tensor.is_set_to Tensor.hash_tensor""",
    "it reads or writes files, or memory of others": """
        torch.load torch.save torch.from_file torch.from_numpy torch.frombuffer torch.from_dlpack torch.to_dlpack
        Tensor.share_memory_ Tensor.is_shared Tensor.pin_memory Tensor.is_pinned Tensor.record_stream""",
    "it leaves autograd: numbers for Python": """
        Tensor.item Tensor.tolist Tensor.numpy Tensor.apply_ Tensor.map_ Tensor.map2_""",
    "gradcli goes back and shows gradients itself": """
        Tensor.backward Tensor.retain_grad Tensor.register_hook Tensor.register_post_accumulate_grad_hook
        Tensor.reinforce""",
    "it takes a function, or runs one elsewhere": """
        torch.vmap torch.cond torch.while_loop torch.compile torch.fork torch.wait
        F.boolean_dispatch""",
    "it belongs to sparse tensors": """
        torch.sparse_*_tensor torch.saddmm torch.smm torch.dsmm torch.hsmm torch.hspmm torch.spmm torch.sspaddmm
        torch.native_norm torch.*indices_copy torch.values_copy
        Tensor.to_sparse Tensor.to_sparse_* Tensor.to_dense Tensor.coalesce Tensor.is_coalesced Tensor.sparse_*
        Tensor.dense_dim Tensor.*_indices Tensor.indices Tensor.values Tensor.smm Tensor.sspaddmm""",
    "it belongs to nested tensors": "Tensor.to_padded_tensor",
    "it belongs to quantized tensors": """
        torch.quantize_per_channel torch.quantize_per_tensor torch.quantize_per_tensor_dynamic torch.dequantize
        torch.quantized_* torch.q_* torch.int_repr torch.choose_qparams_optimized torch.fbgemm_*
        torch.fused_moving_avg_obs_fake_quant
        Tensor.dequantize Tensor.q_* Tensor.qscheme Tensor.int_repr""",
    "it belongs to MaskedTensor; the functions of torch.masked take mask=": """
        masked.as_masked_tensor masked.is_masked_tensor masked.masked_tensor""",
    "it is the kernel of one backend; the function of torch that picks the backend is in the vocabulary": """
        torch.cudnn_* torch.miopen_* torch.mkldnn_* torch.batch_norm_stats torch.batch_norm_elemt
        torch.batch_norm_update_stats torch.batch_norm_gather_stats torch.batch_norm_gather_stats_with_counts
        torch.native_channel_shuffle F.native_channel_shuffle F.scaled_mm F.scaled_grouped_mm
        Tensor.to_mkldnn""",
    "it is a helper of backward, or of torch's own compiler": """
        torch.batch_norm_backward_elemt torch.batch_norm_backward_reduce torch.slice_inverse torch.detach_copy
        torch.sym_* torch.thread_safe_generator Tensor.slice_inverse Tensor.index Tensor.as_subclass
        Tensor.module_load""",
    "torch has removed it, and names its successor": """
        torch.eig torch.symeig torch.lstsq torch.solve torch.matrix_rank
        Tensor.eig Tensor.symeig Tensor.lstsq Tensor.solve""",
    "a tensor is moved with .to(), .cpu() or .cuda()": """
        torch.get_device torch.is_vulkan_available torch.get_device_module
        Tensor.get_device Tensor.ipu Tensor.xpu Tensor.mtia Tensor.is_distributed torch.is_distributed""",
    "it sets or shows the state of torch, not a tensor": """
        torch.set_* torch.get_*_dtype torch.get_autocast_dtype torch.get_default_device torch.get_rng_state
        torch.get_num_threads torch.get_num_interop_threads torch.get_deterministic_debug_mode
        torch.get_float32_matmul_precision torch.init_num_threads torch.use_deterministic_algorithms
        torch.are_deterministic_algorithms_enabled torch.is_deterministic_algorithms_warn_only_enabled
        torch.autocast_*_nesting torch.clear_autocast_cache torch.is_autocast_* torch.is_anomaly_*
        torch.is_grad_enabled torch.is_inference_mode_enabled torch.is_warn_always_enabled
        torch.manual_seed torch.seed torch.initial_seed torch.prepare_multiprocessing_environment""",
    "it is not about tensors": """
        torch.typename torch.is_storage torch.classproperty torch.compiled_with_cxx11_abi torch.get_file_path
        torch.import_ir_module torch.import_ir_module_from_buffer torch.parse_ir torch.parse_schema
        torch.parse_type_comment torch.merge_type_from_type_comment torch.unify_type_list
        torch.profiler_allow_cudagraph_cupti_lazy_reinit_cuda12
        F.Optional F.assert_int_or_pair F.handle_torch_function F.has_torch_function
        F.has_torch_function_unary F.has_torch_function_variadic""",
}


@cache
def _patterns() -> tuple[tuple[str, str], ...]:
    """Dotted name, perhaps with a star, and reason."""
    found = []
    for reason, names in EXCLUSIONS.items():
        for name in names.split():
            place, _, rest = name.partition(".")
            found.append((NAMESPACES[place] + rest, reason))
    return tuple(found)


def why_excluded(path: str) -> str | None:
    """The reason why a dotted name of torch is left out, or None where nothing is written about it."""
    return next((reason for pattern, reason in _patterns() if fnmatchcase(path, pattern)), None)
