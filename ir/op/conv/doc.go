// Package conv contains operators that slide a window over images: convolutions and pooling, of floats and of
// quantized numbers, transposed, deformed, and with the channels last, for which kernels are fastest; and
// their gradients. All use the same window type for their attributes.
package conv
