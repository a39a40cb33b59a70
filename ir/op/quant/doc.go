// Package quant contains operators that quantize and dequantize, and tables of bytes that replace functions
// between the two. Quantized products are in package linear, quantized convolutions in package conv.
package quant
