"""What torch's schemas and stubs do not say, by hand, with the reason. Look first whether a probe can tell."""

from __future__ import annotations

from typing import Any

from torch import nn

Facts = dict[str, Any]


def words(text: str) -> list[str]:
    """Names, separated by white space."""
    return text.split()


def rows(facts: Facts, prefix: str, names: str) -> dict[str, Facts]:
    """The same facts for several names; `prefix` "*" means functions and methods of the name."""
    return {f"{prefix}.{name}": facts for name in words(names)}


# Names that the docstrings do not call aliases.
ALIASES = {
    "torch.nn.parameter.Parameter": "torch.nn.Parameter",
    "torch.nn.parameter.Buffer": "torch.nn.Buffer",
    "torch.nn.functional.tanh": "torch.tanh",
    "torch.nn.functional.sigmoid": "torch.sigmoid",
    "torch.random.manual_seed": "torch.manual_seed",
    "torch.autograd.no_grad": "torch.no_grad",
    "torch.autograd.grad_mode.no_grad": "torch.no_grad",
    "torch.autograd.enable_grad": "torch.enable_grad",
    "torch.autograd.inference_mode": "torch.inference_mode",
    "torch.autograd.set_grad_enabled": "torch.set_grad_enabled",
}

_SAME_NAME = "add sub mul matmul neg abs eq ne lt le gt ge"
# The operators behind Python functions of another name. torch.nn.functional.unfold is not Tensor.unfold.
BASES = {
    "torch.nn.functional.logsigmoid": "log_sigmoid",
    "torch.nn.functional.pad": "constant_pad_nd",
    "torch.nn.functional.unfold": "im2col",
    "torch.nn.functional.fold": "col2im",
    "torch.Tensor.__getitem__": "index",
    **{f"torch.Tensor.__{name}__": name for name in words(_SAME_NAME)},
    **{f"torch.Tensor.__r{name}__": name for name in words("add mul matmul pow")},
    "torch.Tensor.__rsub__": "rsub",
    "torch.Tensor.__pow__": "pow",
    "torch.Tensor.__truediv__": "div",
    "torch.Tensor.__rtruediv__": "div",
    "torch.Tensor.__floordiv__": "floor_divide",
    "torch.Tensor.__mod__": "remainder",
    "torch.Tensor.__invert__": "bitwise_not",
}

# Views only where the input allows it; the schema says "view", or nothing for composites that return their input.
MAYBE = frozenset(
    words("""
    reshape reshape_as contiguous to type type_as flatten ravel float double half bfloat16 long int short char byte bool
    chalf cfloat cdouble cpu cuda xpu conj resolve_conj resolve_neg conj_physical real positive __pos__ einsum as_tensor
    asarray atleast_1d atleast_2d atleast_3d cartesian_prod pin_memory pixel_shuffle pixel_unshuffle channel_shuffle
    native_channel_shuffle __getitem__ coalesce to_dense align_to align_as numpy __array__ from_numpy frombuffer
    """)
)

# Composites of pointwise operators, or operators that lack the tag. A probe checks each of them.
ELEMENTWISE = frozenset(
    words("""
    floor_divide true_divide divide multiply subtract negative absolute clip greater greater_equal less less_equal
    not_equal arccos arccosh arcsin arcsinh arctan arctan2 arctanh fix isreal isfinite isinf isclose softsign tanhshrink
    selu celu relu6 hardtanh hardswish silu mish softplus threshold logsigmoid float_power masked_fill where rsub clone
    gelu elu leaky_relu softshrink hardshrink hardsigmoid sigmoid tanh clamp_min clamp_max square ldexp xlogy expit
    logit
    __add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __truediv__ __rtruediv__ __pow__ __rpow__ __floordiv__
    __rfloordiv__ __mod__ __rmod__ __neg__ __abs__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __and__ __or__ __xor__
    __invert__ __rand__ __ror__ __rxor__
    """)
)

# Results of probes would mislead (uninitialised memory, positions), or the probe would not end (degree 1e38).
UNPROBED = frozenset(
    words("""
    empty_like empty new_empty nested_tensor bernoulli equal chebyshev_polynomial_t chebyshev_polynomial_u
    chebyshev_polynomial_v chebyshev_polynomial_w hermite_polynomial_h hermite_polynomial_he laguerre_polynomial_l
    legendre_polynomial_p shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v
    shifted_chebyshev_polynomial_w
    """)
)

# Four matrices are no proof for these: roots and inverses of what may be singular.
DOUBTED = frozenset(
    words("""
    norm std var std_mean var_mean gelu normalize renorm pdist cdist pairwise_distance cosine_similarity cond eigvals
    eigvalsh matrix_norm vector_norm matrix_rank svdvals pinverse nuclear_norm slogdet matrix_power dist frobenius_norm
    norm_except_dim polar cov corrcoef triplet_margin_loss triplet_margin_with_distance_loss logcumsumexp gradient
    quantile nanquantile matrix_exp det inv pinv
    """)
)

# Arguments that are optional one by one but not together. Functions take the tensor itself before them.
PROBE_WITH = {
    "clamp": [[("min", "number"), ("max", "number")], [("min", "tensor"), ("max", "tensor")]],
    "clip": [[("min", "number"), ("max", "number")], [("min", "tensor"), ("max", "tensor")]],
}

_UNIQUE = [
    "return_inverse=false? return_counts=false? dim? -> tensor",
    "return_inverse=true return_counts? dim? -> tensors",
]
_UNIQUE += ["return_inverse? return_counts=true dim? -> tensors"]
# Overloads that no stub has, in the table's notation.
SIGNATURES = {
    "torch.unique": [f"*input sorted? {rest}" for rest in _UNIQUE],
    "torch.unique_consecutive": [f"*input {rest}" for rest in _UNIQUE],
    "torch.Tensor.unique": [f"sorted? {rest}" for rest in _UNIQUE],
    "torch.Tensor.unique_consecutive": _UNIQUE,
    "torch.where": [
        "*condition -> tensors value_shape",
        "*condition ~input ~other / out? -> tensor",
        "*condition / ~self ~other -> tensor",
        "*condition ~input / ~other -> tensor",
    ],
    "torch.repeat_interleave": [
        "*repeats / output_size? -> tensor value_shape",
        "*input *repeats dim? / output_size? -> tensor value_shape",
        "*input repeats dim? / output_size? -> tensor",
    ],
    "torch.Tensor.repeat_interleave": [
        "*repeats dim? / output_size? -> tensor value_shape",
        "repeats dim? / output_size? -> tensor",
    ],
    "torch.Tensor.type": ["-> host", "dtype non_blocking? -> tensor"],
    "torch.Tensor.__pos__": ["-> tensor"],
    "torch.nn.functional.logsigmoid": ["*input -> tensor"],
    "torch.tensordot": ["*a *b dims? out? -> tensor"],
    "torch.einsum": ["equation *operands ... -> tensor"],
    "torch.norm": ["*input p? dim? keepdim? out? dtype? -> tensor"],
    "torch.Tensor.norm": ["p? dim? keepdim? dtype? -> tensor"],
}

PLAIN: Facts = {
    "returns": "other",
    "alias": "fresh",
    "dtype": "unknown",
    "gradient": "unsafe",
    "random": "never",
}
HOST: Facts = {"returns": "host"}
READ: Facts = {"returns": "host", "reads": True}
TENSOR: Facts = {"returns": "tensor"}
TENSORS: Facts = {"returns": "tensors"}
UNKNOWN: Facts = {"returns": "unknown"}
GLOBAL: Facts = {"returns": "none", "effect": True}
CONTEXT: Facts = {"returns": "other", "effect": True}
MOVED: Facts = {"dtype": "same", "gradient": "total"}
PRODUCTS: Facts = {"dtype": "same", "gradient": "finite"}
SELECTED: Facts = {"returns": "unknown", "reads": True, "value_shape": True}
CHOSEN: Facts = {"dtype": "promote", "elementwise": True, "total": True, "gradient": "total"}
IN_PLACE: Facts = {"returns": "tensor", "alias": "view", "mutates": ["self"], "dtype": "same"}
CAST: Facts = {"returns": "tensor", "alias": "maybe", "gradient": "total"}
DROPPED: Facts = {"dtype": "same", "gradient": "finite", "random": "maybe"}

# Rows that differ from what was derived; a later one replaces an earlier one.
FACTS: dict[str, Facts] = {
    # These copy to the host by a path that has no tag.
    **rows(READ, "torch.Tensor", "item tolist __bool__ __int__ __float__ __index__ __complex__ __contains__"),
    **rows(READ, "torch.Tensor", "__repr__ __str__ __format__"),
    **rows({"returns": "other", "reads": True}, "torch.Tensor", "__reduce_ex__ storage"),
    **rows({"returns": "other", "reads": True, "alias": "maybe"}, "torch.Tensor", "numpy __array__"),
    **rows(READ, "*", "is_nonzero equal allclose"),
    "torch.Tensor.cpu": {**CAST, "reads": True, "dtype": "same"},
    # Their stubs are missing or too broad.
    **rows(HOST, "torch.Tensor", "__len__ __hash__ data_ptr stride numel nelement is_shared dim_order storage_type"),
    **rows(HOST, "torch", "is_tensor is_storage broadcast_shapes"),
    "torch.Tensor.const_data_ptr": HOST,
    **rows(
        TENSOR, "*", "atleast_1d atleast_2d atleast_3d block_diag cdist chain_matmul dequantize quantize_per_tensor"
    ),
    **rows(TENSOR, "torch.Tensor", "refine_names rename align_to"),
    **rows({**TENSOR, "alias": "maybe"}, "torch.Tensor", "as_subclass share_memory_ resize resize_as to_sparse_coo"),
    **rows({**TENSOR, "dtype": "unknown"}, "torch", "tensor as_tensor asarray from_numpy frombuffer"),
    **rows(TENSOR, "torch.nn.functional", "grouped_mm adaptive_avg_pool1d"),
    "torch.Tensor.stft": TENSOR,
    **rows(TENSORS, "torch", "split_copy unbind_copy split_with_sizes_copy"),
    **rows({**TENSORS, **MOVED, "alias": "view"}, "*", "split broadcast_tensors meshgrid"),
    "torch.Tensor.__iter__": {**TENSORS, **MOVED, "alias": "view"},
    # A Boolean index selects by value; whether the index is one, the table cannot say.
    "torch.Tensor.__getitem__": {**TENSOR, **MOVED, "alias": "maybe"},
    "torch.Tensor.__setitem__": {"returns": "none", "mutates": ["self"]},
    **{
        f"torch.Tensor.__i{n}__": IN_PLACE
        for n in words("add and floordiv lshift mod mul or pow rshift sub truediv xor")
    },
    **rows({"returns": "tensor"}, "torch.Tensor", "__rsub__ __rpow__ __rmod__ __rfloordiv__ __rtruediv__ __rmatmul__"),
    **rows({"returns": "tensor", "dtype": "bool"}, "torch.Tensor", "__eq__ __ne__"),
    # One name for several operations, told apart by `called`.
    "torch.where": {**SELECTED, **CHOSEN},
    "torch.Tensor.where": {**TENSOR, **CHOSEN},
    **rows({**UNKNOWN, "dtype": "same", "reduction": True}, "*", "max min median nanmedian"),
    **rows({**TENSOR, **MOVED}, "*", "repeat_interleave"),
    **rows({**SELECTED, "dtype": "same"}, "*", "unique unique_consecutive"),
    **rows({**SELECTED, "dtype": "int64", "gradient": "total"}, "*", "nonzero"),
    "torch.Tensor.type": {**UNKNOWN, "alias": "maybe"},
    "torch.nn.functional.one_hot": {**TENSOR, "dtype": "int64", "value_shape": True, "reads": True},
    # They draw through another operator, whose tag does not reach them.
    "torch.nn.functional.gumbel_softmax": {**TENSOR, "dtype": "same", "random": "always"},
    "torch.nn.functional.multi_head_attention_forward": {**TENSORS, "random": "maybe"},
    "torch.nn.functional.scaled_dot_product_attention": {**TENSOR, "dtype": "same", "random": "maybe"},
    **rows({**UNKNOWN, "random": "maybe"}, "torch.nn.functional", "fractional_max_pool2d fractional_max_pool3d"),
    **rows({"random": "maybe"}, "torch", "rnn_tanh rnn_relu lstm gru"),
    **rows(DROPPED, "*", "dropout alpha_dropout feature_dropout feature_alpha_dropout dropout1d dropout2d dropout3d"),
    # They write to running statistics in training, or renormalise the weight.
    **rows({**TENSOR, "alias": "fresh", "dtype": "same", "mutates_if": ["training"]}, "*", "batch_norm"),
    **rows({**TENSOR, "alias": "fresh", "dtype": "same", "mutates_if": ["use_input_stats"]}, "*", "instance_norm"),
    "torch.nn.functional.embedding": {**TENSOR, "gradient": "total", "mutates_if": ["max_norm"]},
    "torch.nn.functional.embedding_bag": {**TENSOR, "mutates_if": ["max_norm"]},
    # Effects outside of the arguments.
    **rows(GLOBAL, "torch.Tensor", "backward retain_grad"),
    **rows(CONTEXT, "torch.Tensor", "register_hook register_post_accumulate_grad_hook"),
    "torch.Tensor.requires_grad_": {**IN_PLACE, "effect": True},
    # Copies to another place or dtype.
    **rows(CAST, "torch.Tensor", "to float double half bfloat16 cfloat cdouble chalf type_as"),
    **rows({**CAST, "dtype": "same"}, "torch.Tensor", "cuda xpu pin_memory"),
    **rows({**CAST, "dtype": "int64"}, "torch.Tensor", "long"),
    **rows({**CAST, "dtype": "bool"}, "torch.Tensor", "bool"),
    # Whether `return_indices` is given decides.
    **rows({**UNKNOWN, "dtype": "same"}, "torch.nn.functional", "max_pool1d max_pool2d max_pool3d"),
    **rows(
        {**UNKNOWN, "dtype": "same"},
        "torch.nn.functional",
        "adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d",
    ),
    # The probes join a tensor with itself.
    **rows({"dtype": "promote"}, "torch", "cat stack hstack vstack dstack column_stack concat concatenate row_stack"),
    # The value is a number or a 0-d tensor, which the probes do not try.
    **rows({"dtype": "same", "elementwise": True, "total": True, "gradient": "total"}, "*", "masked_fill"),
    # They move elements; what they need (an index, a shape) is more than the probes make up.
    **rows(
        MOVED,
        "*",
        "gather index_select take_along_dim take select narrow roll flip flipud fliplr rot90 tile repeat pad",
    ),
    **rows(
        MOVED, "*", "reshape reshape_as contiguous flatten ravel scatter scatter_add index_fill index_copy index_add"
    ),
    **rows(
        MOVED, "*", "triu tril pixel_shuffle pixel_unshuffle channel_shuffle conj resolve_conj resolve_neg topk sort"
    ),
    **rows(MOVED, "*", "kthvalue cummax cummin mode"),
    # Sums of products.
    **rows(
        PRODUCTS, "*", "bmm baddbmm addbmm addmm addmv mv mm dot vdot inner outer linear conv1d conv2d conv3d bilinear"
    ),
    # They keep the dtype; their gradients divide.
    **rows(
        {"dtype": "same"}, "torch.nn.functional", "layer_norm group_norm rms_norm local_response_norm interpolate fold"
    ),
    **rows(
        {"dtype": "same"}, "torch.nn.functional", "avg_pool1d avg_pool2d avg_pool3d unfold grid_sample normalize prelu"
    ),
    **rows(
        {"dtype": "same"},
        "torch.nn.functional",
        "adaptive_avg_pool2d adaptive_avg_pool3d conv_transpose1d conv_transpose2d",
    ),
}

_INIT: Facts = {"returns": "tensor", "alias": "view", "mutates": ["tensor"]}
_PARAMETER: Facts = {**TENSOR, **MOVED, "alias": "maybe"}

# Callables that are no operators.
OTHERS: dict[str, Facts] = {
    **rows(
        HOST, "torch", "finfo iinfo device Size get_default_dtype get_default_device is_grad_enabled typename is_tensor"
    ),
    **rows(HOST, "torch", "is_inference_mode_enabled is_autocast_enabled get_autocast_dtype get_autocast_gpu_dtype"),
    **rows(
        HOST, "torch", "is_deterministic_algorithms_warn_only_enabled are_deterministic_algorithms_enabled is_storage"
    ),
    **rows(HOST, "torch", "initial_seed get_num_threads get_float32_matmul_precision is_warn_always_enabled"),
    **rows(HOST, "torch.compiler", "is_compiling is_dynamo_compiling is_exporting"),
    **rows(HOST, "torch.jit", "is_scripting is_tracing"),
    **rows(HOST, "torch.cuda", "is_available device_count current_device is_initialized get_device_name"),
    **rows(HOST, "torch.cuda", "memory_allocated max_memory_allocated get_device_capability is_bf16_supported"),
    **rows(HOST, "torch.distributed", "is_available is_initialized get_rank get_world_size"),
    **rows({**HOST, "effect": True}, "torch", "seed set_flush_denormal"),
    **rows(GLOBAL, "torch", "set_default_dtype set_default_device set_num_threads set_rng_state save set_printoptions"),
    **rows(GLOBAL, "torch", "use_deterministic_algorithms set_float32_matmul_precision"),
    **rows(GLOBAL, "torch.cuda", "synchronize empty_cache set_device manual_seed manual_seed_all"),
    **rows(CONTEXT, "torch", "no_grad enable_grad inference_mode set_grad_enabled autocast manual_seed load"),
    **rows(CONTEXT, "torch.distributed", "all_reduce broadcast barrier all_gather"),
    **rows({"returns": "other"}, "torch", "compile vmap Generator"),
    "torch.cond": UNKNOWN,
    "torch.utils.checkpoint.checkpoint": {**UNKNOWN, "effect": True},
    "torch.autograd.grad": {**TENSORS, "effect": True},
    "torch.autograd.backward": GLOBAL,
    **rows(_PARAMETER, "torch.nn", "Parameter Buffer"),
    **rows(TENSOR, "torch", "Tensor FloatTensor LongTensor BoolTensor IntTensor DoubleTensor ByteTensor get_rng_state"),
    **rows(
        {**_INIT, "random": "always"}, "torch.nn.init", "uniform_ normal_ trunc_normal_ xavier_uniform_ xavier_normal_"
    ),
    **rows({**_INIT, "random": "always"}, "torch.nn.init", "kaiming_uniform_ kaiming_normal_ orthogonal_ sparse_"),
    **rows(_INIT, "torch.nn.init", "constant_ ones_ zeros_ eye_ dirac_"),
    "torch.nn.utils.clip_grad_norm_": {**TENSOR, "effect": True},
    "torch.nn.utils.clip_grad_value_": GLOBAL,
    "torch.nn.utils.rnn.pad_sequence": TENSOR,
    "torch.nn.utils.rnn.pack_padded_sequence": {"returns": "other", "reads": True},
    "torch.nn.utils.rnn.pad_packed_sequence": TENSORS,
}

# Imported into the modules, but not theirs.
NOT_PUBLIC = frozenset(
    words("""
    has_torch_function has_torch_function_unary has_torch_function_variadic boolean_dispatch Callable Optional Union
    handle_torch_function assert_int_or_pair overload common_notes LinAlgError Tensor DType
    """)
)

SPECIAL_METHODS = frozenset(
    words("""
    __abs__ __add__ __and__ __array__ __bool__ __complex__ __contains__ __eq__ __float__ __floordiv__ __format__ __ge__
    __getitem__ __gt__ __hash__ __iadd__ __iand__ __ifloordiv__ __ilshift__ __imod__ __imul__ __index__ __int__
    __invert__ __ior__ __ipow__ __irshift__ __isub__ __iter__ __itruediv__ __ixor__ __le__ __len__ __lshift__ __lt__
    __matmul__ __mod__ __mul__ __ne__ __neg__ __or__ __pos__ __pow__ __radd__ __rand__ __reduce_ex__ __repr__
    __reversed__ __rfloordiv__ __rlshift__ __rmatmul__ __rmod__ __rmul__ __ror__ __rpow__ __rrshift__ __rshift__
    __rsub__ __rtruediv__ __rxor__ __setitem__ __str__ __sub__ __truediv__ __xor__
    """)
)

# Properties that the stub declares as methods, or with a type that says too little.
ATTRIBUTES = {
    **dict.fromkeys(words("is_cuda is_cpu is_meta is_mps is_quantized is_sparse is_leaf is_nested name names"), "host"),
    "grad_dtype": "host",
    "grad_fn": "other",
}
CONSTANTS = {"torch.version.cuda": "host", "torch.nan": "host", "torch.newaxis": "host"}

# Layers whose output at one place hangs on the input at that place alone, in evaluation mode.
ACTIVATIONS = frozenset(
    words("""
    AlphaDropout CELU Dropout ELU GELU Hardshrink Hardsigmoid Hardswish Hardtanh Identity LeakyReLU LogSigmoid Mish
    RReLU ReLU ReLU6 SELU SiLU Sigmoid Softplus Softshrink Softsign Tanh Tanhshrink Threshold
    """)
)
SAME_SHAPE = (
    nn.modules.batchnorm._NormBase,
    nn.modules.dropout._DropoutNd,
    nn.LayerNorm,
    nn.GroupNorm,
    nn.RMSNorm,
    nn.LocalResponseNorm,
    nn.Softmax,
    nn.LogSoftmax,
    nn.Softmin,
    nn.Softmax2d,
    nn.PReLU,
    nn.TransformerEncoder,
    nn.TransformerEncoderLayer,
    nn.TransformerDecoder,
    nn.TransformerDecoderLayer,
)
SHAPES = {"Linear": "last", "Embedding": "append"}
CONTAINERS = (nn.Sequential, nn.ModuleList, nn.ModuleDict, nn.ParameterList, nn.ParameterDict)
LAYER_RETURNS = {
    **dict.fromkeys(words("RNN LSTM GRU MultiheadAttention LSTMCell AdaptiveLogSoftmaxWithLoss"), "tensors"),
    **dict.fromkeys(
        words("TransformerEncoder TransformerDecoder Transformer RNNCell GRUCell Identity Flatten"), "tensor"
    ),
    **dict.fromkeys(
        words("MaxPool1d MaxPool2d MaxPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d"), "unknown"
    ),
    **dict.fromkeys(words("Module Sequential ModuleList ModuleDict ParameterList ParameterDict"), "unknown"),
}
_DRAWS = (
    nn.modules.dropout._DropoutNd,
    nn.modules.rnn.RNNBase,
    nn.RReLU,
    nn.MultiheadAttention,
    nn.Transformer,
    nn.TransformerEncoder,
    nn.TransformerDecoder,
    nn.TransformerEncoderLayer,
    nn.TransformerDecoderLayer,
    nn.FractionalMaxPool2d,
    nn.FractionalMaxPool3d,
)


def train_of(kind: type[nn.Module]) -> str:
    """`Train` of the table: dropout, also as an argument of a compound layer, draws; batch statistics are stored."""
    if issubclass(kind, nn.modules.batchnorm._NormBase):
        return "buffers"
    if issubclass(kind, _DRAWS):
        return "random"
    return "unknown" if kind is nn.Module or issubclass(kind, CONTAINERS) else "pure"
