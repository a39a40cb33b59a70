package main

import (
	"io"
	"slices"
	"strings"
	"testing"
)

// TestCompletion holds that shells offer the values of flags that have a list of them.
func TestCompletion(t *testing.T) {
	for line, want := range map[string]string{
		"train m.onnx --optimizer ": "adamw",
		"train m.onnx --loss ":      "cross_entropy",
		"train m.onnx --precision ": "bfloat16",
		"eval m.onnx --reduction ":  "mean",
		"build m.onnx --cpu ":       "avx2",
		"deploy x --oci=":           "archive",
	} {
		var out strings.Builder
		if _, err := execute(append([]string{"__complete"}, strings.Split(line, " ")...), &out, io.Discard); err != nil {
			t.Fatal(err)
		}
		if offered := strings.Fields(out.String()); !slices.Contains(offered, want) {
			t.Errorf("bbgen %s<tab> offers %q, want %s in it", line, offered, want)
		}
	}
}
