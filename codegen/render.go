package codegen

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/dave/jennifer/jen"
)

// render prints a file, formatted as if written by hand.
func render(f *jen.File) ([]byte, error) {
	var b bytes.Buffer
	if err := f.Render(&b); err != nil {
		return nil, err
	}
	return returnLast(groupImports(nameOnce(b.Bytes()))), nil
}

var (
	importBlock = regexp.MustCompile(`(?s)\nimport \((.*?)\n\)`)
	importOne   = regexp.MustCompile(`\nimport (\w+) "(.*)"\n`)
	lastError   = regexp.MustCompile(`\n\tif err := (.*); err != nil \{\n\t\treturn err\n\t\}\n\treturn nil\n\}`)
)

// returnLast has a function whose last call returns only an error return that of the call.
func returnLast(src []byte) []byte { return lastError.ReplaceAll(src, []byte("\n\treturn $1\n}")) }

// nameOnce drops the name of a file's only import if it repeats the last element of the path.
func nameOnce(src []byte) []byte {
	return importOne.ReplaceAllFunc(src, func(line []byte) []byte {
		m := importOne.FindSubmatch(line)
		if string(m[1]) != path.Base(string(m[2])) {
			return line
		}
		return fmt.Appendf(nil, "\nimport %q\n", m[2])
	})
}

// groupImports groups the imports, with the standard library first, and removes names that repeat the last
// element of a path.
func groupImports(src []byte) []byte {
	return importBlock.ReplaceAllFunc(src, func(block []byte) []byte {
		var std, other []string
		for line := range strings.Lines(string(importBlock.FindSubmatch(block)[1])) {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			name, quoted, ok := strings.Cut(line, " ")
			if ok && name == path.Base(strings.Trim(quoted, `"`)) {
				line = quoted
			}
			if strings.Contains(line, ".") {
				other = append(other, "\t"+line)
			} else {
				std = append(std, "\t"+line)
			}
		}
		groups := make([]string, 0, 2)
		for _, g := range [][]string{std, other} {
			if len(g) > 0 {
				groups = append(groups, strings.Join(g, "\n"))
			}
		}
		return fmt.Appendf(nil, "\nimport (\n%s\n)", strings.Join(groups, "\n\n"))
	})
}
