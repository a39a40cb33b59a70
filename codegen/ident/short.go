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

// Brief returns a name without what PyTorch's exporter repeats in it: modules whose names are the beginning of the next one's,
// and an operator that has the name of its module: layer1.0/conv1 for "/layer1/layer1.0/conv1/Conv_output_0".
func Brief(s string) string {
	parts := strings.FieldsFunc(Bare(s), func(r rune) bool { return r == '/' })
	var kept []string
	for i, p := range parts {
		if i+1 == len(parts) || !strings.HasPrefix(parts[i+1], p+".") {
			kept = append(kept, p)
		}
	}
	n := len(kept)
	if n < 2 {
		return strings.Join(kept, "/")
	}
	operator, suffix, _ := strings.Cut(kept[n-1], "_")
	if suffix != "" && !isNumber(suffix) { // of a pass, as in Conv_last
		suffix = "_" + suffix
	}
	if strings.EqualFold(operator, kind(kept[n-2])) && !isNumber(suffix) {
		kept = append(kept[:n-2], kept[n-2]+suffix)
	}
	return strings.Join(kept, "/")
}

// kind returns the name of a module without those around it and its number: conv for "layer1.0.conv1", relu for "relu_1".
func kind(module string) string {
	return strings.TrimRight(module[strings.LastIndexByte(module, '.')+1:], "_0123456789")
}

// isNumber reports whether a text is a number, as in Conv_1, the second of its module.
func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
