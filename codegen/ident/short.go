package ident

import (
	"path"
	"strings"
)

// Bare returns a name without what exporters put behind every one.
func Bare(s string) string { return strings.TrimSuffix(s, "_output_0") }

// Short returns the last part of a model's long name: "/layer1/conv/Conv_output_0" is Conv.
func Short(s string) string {
	s = Bare(s)
	if i := strings.LastIndexAny(strings.TrimRight(s, "/"), "/"); i >= 0 {
		return path.Base(s)
	}
	return s
}
