"""Break sites of models of `transformers` 5, before and after a rewrite; random weights, no network.

    cp -r SITE_PACKAGES/transformers DIR/transformers; refactor apply DIR/transformers --verify off
    python tests/benchmarks/transformers_models.py DIR [MODEL …]

Each model is built small, from a configuration written out here, and runs in a process of its own: once with the
installed package, once with DIR first on the path, with the same weights and inputs. Printed per model: break sites,
graphs, skipped frames and the captured ratio before and after, and whether the outputs are equal bit for bit (eager
old against eager new, eager new against compiled new; `close` where they are so up to rounding). With `--sites` the
sites that stay. Exit status 1 where an output differs or a model got worse.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

MODELS: dict[str, Callable[[], tuple[Any, dict[str, Any]]]] = {}


def model(build: Callable[[], tuple[Any, dict[str, Any]]]) -> Callable[[], tuple[Any, dict[str, Any]]]:
    """Note a builder under its name; it gives the module and the keyword arguments of one call."""
    MODELS[build.__name__] = build
    return build


@model
def gemma3() -> tuple[Any, dict[str, Any]]:
    """Text and one image: the shared check that image tokens and image features agree in number."""
    import torch
    from transformers import Gemma3Config, Gemma3ForConditionalGeneration

    text = {
        "vocab_size": 128, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1,
        "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 16, "sliding_window": 16,
    }  # fmt: skip
    vision = {
        "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 2,
        "image_size": 32, "patch_size": 8,
    }  # fmt: skip
    config = Gemma3Config(text_config=text, vision_config=vision, mm_tokens_per_image=4, image_token_index=100)
    ids = torch.tensor([[2, 100, 100, 100, 100, 5, 6, 7]])
    return Gemma3ForConditionalGeneration(config), {
        "input_ids": ids,
        "pixel_values": torch.randn(1, 3, 32, 32),
        "attention_mask": torch.ones_like(ids),
        "token_type_ids": (ids == 100).long(),
    }


@model
def xlm() -> tuple[Any, dict[str, Any]]:
    """Lengths given with the ids: an assertion about their greatest."""
    import torch
    from transformers import XLMConfig, XLMModel

    config = XLMConfig(vocab_size=128, emb_dim=32, n_layers=2, n_heads=2, max_position_embeddings=64, n_langs=2)
    ids = torch.randint(5, 100, (2, 12))
    return XLMModel(config), {"input_ids": ids, "lengths": torch.tensor([12, 9])}


@model
def sam3() -> tuple[Any, dict[str, Any]]:
    """An image and a text prompt: spatial shapes kept as a tensor and read back."""
    import torch
    from transformers import Sam3Config, Sam3Model

    small = {"hidden_size": 32, "num_layers": 1, "num_attention_heads": 2, "intermediate_size": 64}
    backbone = {
        "model_type": "sam3_vit_model", "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
        "num_attention_heads": 2, "image_size": 112, "patch_size": 14, "window_size": 4,
        "global_attn_indexes": [1], "pretrain_image_size": 56,
    }  # fmt: skip
    config = Sam3Config(
        vision_config={
            "backbone_config": backbone,
            "fpn_hidden_size": 32,
            "backbone_feature_sizes": [[32, 32], [16, 16], [8, 8]],
        },
        text_config={
            "model_type": "clip_text_model", "vocab_size": 128, "hidden_size": 32, "intermediate_size": 64,
            "projection_dim": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "max_position_embeddings": 16,
        },
        geometry_encoder_config=small,
        detr_encoder_config=small,
        detr_decoder_config={**small, "num_queries": 5},
        mask_decoder_config={"hidden_size": 32, "num_attention_heads": 2},
    )  # fmt: skip
    ids = torch.tensor([[3, 4, 5, 6, 0, 0]])
    return Sam3Model(config), {
        "pixel_values": torch.randn(1, 3, 112, 112),
        "input_ids": ids,
        "attention_mask": (ids > 0).long(),
    }


@model
def wavtokenizer() -> tuple[Any, dict[str, Any]]:
    """Convolutions whose kernel sizes and strides are integer buffers."""
    import torch
    from transformers import WavTokenizerConfig, WavTokenizerModel

    config = WavTokenizerConfig(
        num_filters=4, hidden_size=32, codebook_size=16, codebook_dim=32, num_lstm_layers=1, upsampling_ratios=[2, 2],
        decoder_hidden_size=32, decoder_intermediate_size=64, decoder_num_layers=1, decoder_attention_num_groups=4,
    )  # fmt: skip
    torch._dynamo.config.allow_rnn = True
    return WavTokenizerModel(config), {"input_values": torch.randn(1, 1, 480)}


@model
def encodec() -> tuple[Any, dict[str, Any]]:
    """The same convolutions, and a length that is checked."""
    import torch
    from transformers import EncodecConfig, EncodecModel

    config = EncodecConfig(
        num_filters=4, hidden_size=16, codebook_dim=16, codebook_size=16, num_lstm_layers=1, upsampling_ratios=[4, 2],
        num_residual_layers=1,
    )  # fmt: skip
    torch._dynamo.config.allow_rnn = True
    return EncodecModel(config), {"input_values": torch.randn(1, 1, 640)}


@model
def mimi() -> tuple[Any, dict[str, Any]]:
    """The same convolutions, whose paddings are kept as tensors too."""
    import torch
    from transformers import MimiConfig, MimiModel

    config = MimiConfig(
        num_filters=4, hidden_size=16, codebook_dim=8, codebook_size=16, upsampling_ratios=[4, 2], num_hidden_layers=1,
        num_attention_heads=2, num_key_value_heads=2, intermediate_size=32, vector_quantization_hidden_dimension=8,
        num_quantizers=4, head_dim=8, sliding_window=10, max_position_embeddings=64, upsample_groups=16,
        frame_rate=100, sampling_rate=1600,
    )  # fmt: skip
    return MimiModel(config), {"input_values": torch.randn(1, 1, 640)}


@model
def openai_privacy_filter() -> tuple[Any, dict[str, Any]]:
    """A mixture of experts with a loop over those that were hit."""
    import torch
    from transformers import OpenAIPrivacyFilterConfig, OpenAIPrivacyFilterModel

    config = OpenAIPrivacyFilterConfig(
        num_hidden_layers=2, num_local_experts=4, vocab_size=128, hidden_size=32, intermediate_size=32, head_dim=16,
        num_attention_heads=2, num_key_value_heads=1, num_experts_per_tok=2, max_position_embeddings=64, pad_token_id=0,
    )  # fmt: skip
    ids = torch.randint(1, 100, (2, 12))
    return OpenAIPrivacyFilterModel(config), {"input_ids": ids, "attention_mask": torch.ones_like(ids)}


_GRID_TEXT = {
    "vocab_size": 128, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1,
    "num_attention_heads": 2, "num_key_value_heads": 1, "max_position_embeddings": 128,
    "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [2, 3, 3]},
    "bos_token_id": 1, "eos_token_id": 2,
}  # fmt: skip
_GRID_TOKENS = {"image_token_id": 100, "video_token_id": 101, "vision_start_token_id": 102, "vision_end_token_id": 103}


def two_images() -> dict[str, Any]:
    """Two images of different grids, in patches of 4 by 4, with text around them."""
    import torch

    ids = torch.tensor([[102, *[100] * 4, 103, 7, 8, 102, *[100] * 3, 103, 9, 10]])
    return {
        "input_ids": ids,
        "attention_mask": torch.ones_like(ids),
        "mm_token_type_ids": (ids == 100).long(),
        "pixel_values": torch.randn(28, 3 * 2 * 4 * 4),
        "image_grid_thw": torch.tensor([[1, 4, 4], [1, 2, 6]]),
    }


@model
def qwen2_vl() -> tuple[Any, dict[str, Any]]:
    """Two images of different grids."""
    from transformers import Qwen2VLConfig, Qwen2VLModel

    vision = {"depth": 1, "embed_dim": 32, "hidden_size": 32, "num_heads": 2, "patch_size": 4, "mlp_ratio": 2}
    return Qwen2VLModel(Qwen2VLConfig(text_config=_GRID_TEXT, vision_config=vision, **_GRID_TOKENS)), two_images()


@model
def qwen2_5_vl() -> tuple[Any, dict[str, Any]]:
    """The same with attention within windows."""
    from transformers import Qwen2_5_VLConfig, Qwen2_5_VLModel

    vision = {
        "depth": 2, "hidden_size": 32, "intermediate_size": 64, "num_heads": 2, "patch_size": 4, "window_size": 16,
        "out_hidden_size": 32, "fullatt_block_indexes": [1],
    }  # fmt: skip
    return Qwen2_5_VLModel(Qwen2_5_VLConfig(text_config=_GRID_TEXT, vision_config=vision, **_GRID_TOKENS)), two_images()


@model
def lfm2_vl() -> tuple[Any, dict[str, Any]]:
    """Two images of different shapes in patches, each padded to the same number."""
    import torch
    from transformers import Lfm2VlConfig, Lfm2VlForConditionalGeneration

    vision = {
        "model_type": "siglip2_vision_model", "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1,
        "num_attention_heads": 2, "patch_size": 4, "num_patches": 16,
    }  # fmt: skip
    text = {
        "model_type": "lfm2", "vocab_size": 128, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
        "num_attention_heads": 2, "num_key_value_heads": 1, "layer_types": ["conv", "full_attention"],
    }  # fmt: skip
    config = Lfm2VlConfig(vision_config=vision, text_config=text, image_token_id=100, projector_hidden_size=32)
    shapes = torch.tensor([[4, 4], [2, 6]])
    ids = torch.tensor([[2, 100, 100, 100, 100, 5, 100, 100, 100, 6]])
    return Lfm2VlForConditionalGeneration(config), {
        "input_ids": ids,
        "attention_mask": torch.ones_like(ids),
        "pixel_values": torch.randn(2, 16, 48),
        "spatial_shapes": shapes,
        "pixel_attention_mask": (torch.arange(16)[None] < shapes.prod(-1)[:, None]).long(),
    }


def tensors(value: Any) -> list[Any]:
    """The tensors in what a model returns, in order."""
    import torch

    leaves = torch.utils._pytree.tree_leaves(tuple(value.values()) if isinstance(value, dict) else value)
    return [leaf.detach() for leaf in leaves if isinstance(leaf, torch.Tensor)]


def worker(name: str, out: Path, sources: str) -> None:
    """Build, run eagerly, compile, and write what came of it."""
    if sources:
        sys.path.insert(0, sources)
    import torch

    from refactor.verify.dynamo import Meter

    torch.manual_seed(0)
    module, call = MODELS[name]()
    module.eval()
    meter = Meter()
    with torch.no_grad():
        eager = tensors(module(**call))
        with meter.listening():
            compiled = torch.compile(module, backend=meter.backend)
            found = tensors(compiled(**call))
            compiled(**call)
            meter.profiled(lambda: compiled(**call), 1)
    counts = meter.counts()
    root = str(Path(sys.modules["transformers"].__file__ or "").parent)
    torch.save({"eager": eager, "compiled": found, "state": sorted(module.state_dict())}, out.with_suffix(".pt"))
    sites = [(s.path.removeprefix(root), s.line, s.reason) for s in counts.break_sites]
    figures = {
        "sites": sites,
        "graphs": counts.graphs,
        "skipped": counts.skipped_frames,
        "ratio": counts.captured_ratio,
    }
    out.write_text(json.dumps(figures))


def run(name: str, sources: str, folder: Path) -> dict[str, Any]:
    """The figures of one model with the sources in one folder."""
    out = folder / f"{name}{'-new' if sources else ''}.json"
    command = [sys.executable, __file__, sources or "-", name, "--worker", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name}: {done.stderr.strip().splitlines()[-1]}")
    found: dict[str, Any] = json.loads(out.read_text())
    return found


def alike(a: list[Any], b: list[Any]) -> str:
    """ "bit", "close" or "NO"."""
    import torch

    if len(a) != len(b) or any(x.shape != y.shape or x.dtype != y.dtype for x, y in zip(a, b, strict=True)):
        return "NO"
    if all(torch.equal(x, y) for x, y in zip(a, b, strict=True)):
        return "bit"
    close = all(torch.allclose(x, y, rtol=1e-4, atol=1e-5, equal_nan=True) for x, y in zip(a, b, strict=True))
    return "close" if close else "NO"


def main() -> int:
    """Run the models named, all by default."""
    parser = argparse.ArgumentParser()
    parser.add_argument("sources", help="folder that holds the rewritten transformers")
    parser.add_argument("models", nargs="*", default=list(MODELS))
    parser.add_argument("--sites", action="store_true", help="print the sites that stay")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        worker(options.models[0], Path(options.worker), "" if options.sources == "-" else options.sources)
        return 0
    import torch

    failed = False
    print(f"{'model':<22} {'sites':>9} {'graphs':>9} {'skipped':>9} {'captured':>12}  eager  compiled  state")
    with tempfile.TemporaryDirectory() as folder:
        for name in options.models:
            old, new = run(name, "", Path(folder)), run(name, options.sources, Path(folder))
            kept = [torch.load(Path(folder) / f"{name}{end}.pt") for end in ("", "-new")]
            eager, compiled = alike(kept[0]["eager"], kept[1]["eager"]), alike(kept[1]["eager"], kept[1]["compiled"])
            state = kept[0]["state"] == kept[1]["state"]
            pairs = [(len(old["sites"]), len(new["sites"])), *((old[k], new[k]) for k in ("graphs", "skipped"))]
            texts = [f"{a} → {b}" for a, b in pairs] + [f"{old['ratio']:.2f} → {new['ratio']:.2f}"]
            row = f"{name:<22} {texts[0]:>9} {texts[1]:>9} {texts[2]:>9} {texts[3]:>12}"
            print(f"{row}  {eager:<5}  {compiled:<8}  {state}", flush=True)
            for site in new["sites"] if options.sites else ():
                print("   ", *site)
            failed |= "NO" in (eager, compiled) or not state or pairs[0][1] > pairs[0][0]
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
