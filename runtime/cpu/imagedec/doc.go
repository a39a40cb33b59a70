// Package imagedec decodes images: it is the kernels of ONNX's ImageDecoder. It
// stands apart from package cpu so that only models with this operator carry
// decoders.
package imagedec
