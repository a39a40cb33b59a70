package project

import (
	"bufio"
	"bytes"
	"io"
)

// joinLines gives all instructions of an assembly function the line of its name. The linker keeps some bytes for each
// instruction with a line of its own, in tables for tracebacks and debuggers: those of the kernels were 3 % of a binary.
// The repository's files have a line for each instruction. Size is about that of the file.
func joinLines(asm io.Reader, size int64) ([]byte, error) {
	out := make([]byte, 0, size)
	inside := false // a function
	lines := bufio.NewScanner(asm)
	for lines.Scan() {
		line := lines.Bytes()
		switch {
		case inside && len(line) > 0 && line[0] == '\t':
			line = line[1:]
		case bytes.HasPrefix(line, []byte("TEXT ")):
			inside = true
			out = append(out, '\n')
		case inside && isDirective(line):
			inside = false
			out = append(out, '\n')
		}
		if !inside {
			out = append(append(out, line...), '\n')
		} else if line = instruction(line); len(line) > 0 {
			out = append(append(out, line...), "; "...)
		}
	}
	if inside {
		out = append(out, '\n')
	}
	return out, lines.Err()
}

// instruction returns a line without its comment and without spaces at its end.
func instruction(line []byte) []byte {
	if i := bytes.IndexByte(line, '/'); i >= 0 && bytes.HasPrefix(line[i:], []byte("//")) { // no instruction has a slash
		line = line[:i]
	}
	for len(line) > 0 && line[len(line)-1] == ' ' {
		line = line[:len(line)-1]
	}
	return line
}

// isDirective reports whether a line is outside of functions.
func isDirective(line []byte) bool {
	return bytes.HasPrefix(line, []byte("DATA ")) || bytes.HasPrefix(line, []byte("GLOBL ")) || bytes.HasPrefix(line, []byte("#"))
}
