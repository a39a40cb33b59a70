// Package imagedec decodes images: it has the kernels of ONNX's ImageDecoder. It is separate from package cpu
// so that only models with this operator link decoders.
package imagedec
