// Package isa knows which extension of amd64 an instruction belongs to, by its text and by its bytes. Tests ask it about
// each kernel; nothing that ships imports it.
//
// It knows the instructions that kernels use, and refuses others: a kernel that needs a new one adds a line to
// instructions.txt.
package isa
