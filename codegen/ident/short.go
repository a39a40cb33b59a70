package ident

import (
	"path"
	"strings"
)

// Bare returns a name without the suffix that exporters add to every name.
func Bare(s string) string { return strings.TrimSuffix(s, "_output_0") }

// Short returns the last part of a long name: Conv for "/layer1/conv/Conv_output_0".
func Short(s string) string {
	s = Bare(s)
	if i := strings.LastIndexAny(strings.TrimRight(s, "/"), "/"); i >= 0 {
		return path.Base(s)
	}
	return s
}
