package project

import "bytes"

// joinLines gives all instructions of an assembly function the line of its name. The linker keeps some bytes for each
// instruction with a line of its own, in tables for tracebacks and debuggers: those of the kernels were 3 % of a binary.
// The repository's files have a line for each instruction.
func joinLines(asm []byte) []byte {
	out := make([]byte, 0, len(asm)+len(asm)/32)
	inside := false // a function
	for len(asm) > 0 {
		end := bytes.IndexByte(asm, '\n') + 1
		if end == 0 {
			end = len(asm)
		}
		line := asm[:end]
		asm = asm[end:]
		switch {
		case inside && line[0] == '\t':
			line = line[1:]
		case bytes.HasPrefix(line, []byte("TEXT ")):
			inside = true
			out = append(out, '\n')
		case inside && isDirective(line):
			inside = false
			out = append(out, '\n')
		}
		if !inside {
			out = append(out, line...)
			continue
		}
		if i := bytes.Index(line, []byte("//")); i >= 0 {
			line = line[:i]
		}
		if line = bytes.TrimRight(line, " \n"); len(line) > 0 {
			out = append(append(out, line...), "; "...)
		}
	}
	if inside {
		out = append(out, '\n')
	}
	return out
}

// isDirective reports whether a line is outside of functions.
func isDirective(line []byte) bool {
	return bytes.HasPrefix(line, []byte("DATA ")) || bytes.HasPrefix(line, []byte("GLOBL ")) || line[0] == '#'
}
