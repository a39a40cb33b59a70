package codegen

import (
	"fmt"
	"path"
	"strings"
)

// list joins names for a sentence: a, b and c.
func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// lineOf returns a comment of one line with a text of the model, such as a name. Jennifer would print a text that begins
// like a comment as one: the node "//go:noinline" would be an instruction to the Go compiler.
func lineOf(text string) string { return "// " + text }

// escaped returns bytes as the content of a string literal, all in hexadecimal.
func escaped(b []byte) string {
	var s strings.Builder
	for _, x := range b {
		fmt.Fprintf(&s, "\\x%02x", x)
	}
	return s.String()
}

// baseName returns a position without folders.
func baseName(pos string) string { return path.Base(strings.ReplaceAll(pos, "\\", "/")) }
