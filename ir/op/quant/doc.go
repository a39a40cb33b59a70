// Package quant holds what makes small integers of floats and floats of those, and tables
// of bytes that take the place of functions between the two. Quantized products are in
// package linear, quantized convolutions in package conv.
package quant
