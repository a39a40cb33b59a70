package codegen

import (
	"strings"

	"github.com/dave/jennifer/jen"
)

// fits reports whether formatted code has at most n bytes. To format each statement only for its length took a third of the
// time of large models; the length of the code as jennifer prints it decides for nearly all.
func fits(code *jen.Statement, n int) bool {
	least, most := widths(unformatted(code))
	if least > n {
		return false
	}
	return most <= n || len(code.GoString()) <= n
}

// widths returns bounds of the length that code has when it is formatted: gofmt removes only spaces, and adds them only
// beside operators, commas and colons. Several lines, which it also indents, have no upper bound.
func widths(code string) (least, most int) {
	const several = 1 << 30
	most = len(code)
	for i := range len(code) {
		switch code[i] {
		case '\n':
			most = several
			continue
		case ' ', '\t':
			continue
		case ',', ':':
			most++
		case '+', '-', '*', '/', '%', '&', '|', '^', '<', '>', '=', '!':
			most += 2
		}
		least++
	}
	return least, most
}

// unformatted returns code as jennifer prints it.
func unformatted(code *jen.Statement) string {
	const mark = "\x00"
	f := jen.NewFile("")
	f.NoFormat = true
	f.Op(mark)
	f.Add(code)
	_, line, _ := strings.Cut(f.GoString(), mark)
	return strings.TrimSpace(line)
}
