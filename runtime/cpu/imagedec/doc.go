// Package imagedec decodes images: it has the kernels of ONNX's ImageDecoder. It is separate from package cpu
// so that only models with this operator link decoders.
//
// decode.go recognizes the format, and limit.go bounds the size of an image. A format has a file of its
// name, and larger ones have one for each stage: jpeg*, jp2*, tiff*, and webp with vp8* (lossy) and vp8l*
// (lossless). PNG is in standard.go.
package imagedec
