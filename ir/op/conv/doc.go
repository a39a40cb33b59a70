// Package conv holds what slides a window over images: convolutions and pooling, of floats
// and of quantized numbers, transposed, deformed, and with the channels last, which is how
// kernels like them best; and their gradients. All read their attributes by one window.
package conv
