package forward

import (
	"fmt"
	"regexp"
	"slices"
)

// Batches groups the cases that have a form into programs of at most most cases with one version.
func Batches(f Form, cases []*Case, most int) [][]*Case {
	type set struct {
		domain  string
		version int
	}
	open := map[set]int{} // the batch that accepts more cases
	var out [][]*Case
	for _, c := range cases {
		if !slices.Contains(c.Forms(), f) {
			continue
		}
		s := set{c.Domain, c.Opset()}
		i, ok := open[s]
		if !ok || len(out[i]) == most {
			i = len(out)
			open[s] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], c)
	}
	return out
}

// Names reports whether an error is about case i of a program.
func Names(err error, i int) bool {
	return regexp.MustCompile(fmt.Sprintf(`\bc%d(_|\b)`, i)).MatchString(err.Error())
}
