"""Writes cases for `go run ./internal/bench`: architectures with random weights and small inputs.

    pip install onnx onnxruntime onnxscript torch torchvision timm transformers
    python models.py FOLDER [NAME...]

Names that begin with light_ are models of the package onnx. The others are exported from torchvision, timm and
transformers. Expected outputs are computed by ONNX Runtime without optimizations.
"""
import os
import sys

import numpy
import onnx
import onnxruntime
from onnx import numpy_helper

LIGHT = ["light_resnet50", "light_shufflenet", "light_squeezenet", "light_densenet121", "light_inception_v2"]


def image(size):
    import torch

    return (torch.randn(1, 3, size, size),)


def torchvision(name, size):
    def make():
        import torchvision.models

        return getattr(torchvision.models, name)(weights=None), image(size)
    return make


def timm(name, size, **options):
    def make():
        import timm

        return timm.create_model(name, pretrained=False, **options), image(size)
    return make


def tokens(length, vocabulary=1000):
    import torch

    return torch.randint(0, vocabulary, (1, length))


class First:
    """Makes a module that returns one output of a model of transformers, without a cache."""

    def __new__(cls, model, field, **options):
        import torch

        class Module(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.model = model

            def forward(self, *inputs):
                return getattr(self.model(*inputs, **options), field)

        return Module()


def llama():
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(vocab_size=1000, hidden_size=256, intermediate_size=688, num_hidden_layers=4, num_attention_heads=8, num_key_value_heads=4)
    return First(LlamaForCausalLM(config), "logits", use_cache=False), (tokens(64),)


def distilbert():
    from transformers import DistilBertConfig, DistilBertModel

    config = DistilBertConfig(vocab_size=1000, dim=256, hidden_dim=1024, n_layers=4, n_heads=8)
    return First(DistilBertModel(config), "last_hidden_state"), (tokens(64),)


def siglip():
    from transformers import SiglipVisionConfig, SiglipVisionModel

    config = SiglipVisionConfig(hidden_size=192, intermediate_size=768, num_hidden_layers=4, num_attention_heads=6, image_size=96, patch_size=16)
    return First(SiglipVisionModel(config), "last_hidden_state"), image(96)


def mamba():
    from transformers import MambaConfig, MambaForCausalLM

    config = MambaConfig(vocab_size=1000, hidden_size=128, state_size=16, num_hidden_layers=2)
    return First(MambaForCausalLM(config), "logits", use_cache=False), (tokens(32),)


def gpt2():
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(vocab_size=1000, n_positions=128, n_embd=256, n_layer=4, n_head=8)
    return First(GPT2LMHeadModel(config), "logits", use_cache=False), (tokens(64),)


def qwen():
    from transformers import Qwen3Config, Qwen3ForCausalLM

    config = Qwen3Config(vocab_size=1000, hidden_size=256, intermediate_size=768, num_hidden_layers=4, num_attention_heads=8, num_key_value_heads=2, head_dim=32)
    return First(Qwen3ForCausalLM(config), "logits", use_cache=False), (tokens(64),)


def modernbert():
    from transformers import ModernBertConfig, ModernBertModel

    config = ModernBertConfig(vocab_size=1000, hidden_size=256, intermediate_size=384, num_hidden_layers=4, num_attention_heads=8, pad_token_id=0, bos_token_id=1, eos_token_id=2, cls_token_id=1, sep_token_id=2)
    return First(ModernBertModel(config), "last_hidden_state"), (tokens(64),)


def swin_v2():
    from transformers import Swinv2Config, Swinv2Model

    config = Swinv2Config(image_size=64, patch_size=4, embed_dim=48, depths=[2, 2], num_heads=[3, 6], window_size=4)
    return First(Swinv2Model(config), "last_hidden_state"), image(64)


def whisper():
    import torch
    from transformers import WhisperConfig
    from transformers.models.whisper.modeling_whisper import WhisperEncoder

    config = WhisperConfig(d_model=192, encoder_layers=2, encoder_attention_heads=6, encoder_ffn_dim=768, num_mel_bins=80, max_source_positions=200)
    return First(WhisperEncoder(config), "last_hidden_state"), (torch.randn(1, 80, 400),)


TORCH = {
    "tv_resnet18": torchvision("resnet18", 128),
    "tv_shufflenet_v2_x0_5": torchvision("shufflenet_v2_x0_5", 128),
    "tv_squeezenet1_1": torchvision("squeezenet1_1", 128),
    "tv_vit_b_32": torchvision("vit_b_32", 224),
    "timm_mobilenetv4_conv_small": timm("mobilenetv4_conv_small", 128),
    "timm_repvit_m0_9": timm("repvit_m0_9", 128),
    "timm_fastvit_t8": timm("fastvit_t8", 128),
    "timm_efficientvit_b0": timm("efficientvit_b0", 128),
    "timm_convnextv2_atto": timm("convnextv2_atto", 128),
    "timm_tinynet_e": timm("tinynet_e", 106),
    "timm_levit_128s": timm("levit_128s", 224),
    "timm_resnest14d": timm("resnest14d", 128),
    "hf_gpt2": gpt2,
    "hf_qwen3": qwen,
    "hf_modernbert": modernbert,
    "hf_swin_v2": swin_v2,
    "hf_whisper_encoder": whisper,
    "tv_efficientnet_b0": torchvision("efficientnet_b0", 128),
    "tv_regnet_y_400mf": torchvision("regnet_y_400mf", 128),
    "tv_convnext_tiny": torchvision("convnext_tiny", 64),
    "tv_mnasnet0_5": torchvision("mnasnet0_5", 128),
    "timm_ghostnet_100": timm("ghostnet_100", 128),
    "timm_mobilevit_xxs": timm("mobilevit_xxs", 128),
    "timm_edgenext_xx_small": timm("edgenext_xx_small", 128),
    "timm_mixer_s32": timm("mixer_s32_224", 224),
    "hf_llama": llama,
    "hf_distilbert": distilbert,
    "hf_siglip": siglip,
    "hf_mamba": mamba,
}


def export(name, path):
    """Exports a model and returns the values of its inputs."""
    import torch

    torch.manual_seed(0)
    model, inputs = TORCH[name]()
    torch.onnx.export(model.eval(), inputs, path, dynamo=True, external_data=False, verbose=False)
    return [i.numpy() for i in inputs]


def light(name, path):
    """Copies a model of the package onnx and returns values for its inputs."""
    model = onnx.load(os.path.join(os.path.dirname(onnx.__file__), "backend", "test", "data", "light", name + ".onnx"))
    onnx.save(model, path)
    weights = {i.name for i in model.graph.initializer}
    random = numpy.random.default_rng(0)
    shapes = [[d.dim_value or 1 for d in i.type.tensor_type.shape.dim] for i in model.graph.input if i.name not in weights]
    return [random.random(s, numpy.float32) for s in shapes]


def write(folder, name):
    path, data = os.path.join(folder, name, "model.onnx"), os.path.join(folder, name, "test_data_set_0")
    os.makedirs(data, exist_ok=True)
    inputs = light(name, path) if name in LIGHT else export(name, path)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    outputs = session.run(None, {i.name: v for i, v in zip(session.get_inputs(), inputs)})
    for kind, values in ("input", inputs), ("output", outputs):
        for i, value in enumerate(values):
            with open(os.path.join(data, f"{kind}_{i}.pb"), "wb") as f:
                f.write(numpy_helper.from_array(value).SerializeToString())


def main(folder, *names):
    for name in names or [*LIGHT, *TORCH]:
        try:
            write(folder, name)
            print(name)
        except Exception as e:
            print(f"{name}: {type(e).__name__}: {e}", file=sys.stderr)
            for root, _, files in os.walk(os.path.join(folder, name)):
                for f in files:
                    os.remove(os.path.join(root, f))


main(*sys.argv[1:])
