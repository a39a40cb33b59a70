// Package runtime is what generated code links beside the kernels: the version
// handshake, and the description of a program by its tensors.
//
// It performs no I/O, starts no goroutine and reads no clock.
package runtime
