// Package crc32c computes the checksum of what peers send each other and keep in files. It is separate from package cpu
// because it is no kernel of a model. Like kernels, it has a portable form and assembly, and [cpu.CurrentLevel] chooses:
// the program that writes the assembly is in ../_asm with the others.
package crc32c
