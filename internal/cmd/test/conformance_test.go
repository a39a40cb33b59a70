package test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/conformance"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

// onnxTolerance is the default tolerance of ONNX's own runner, for manifests without one.
var onnxTolerance = compare.Tolerance{Rel: 1e-3, Abs: 1e-7}

// knownFailures are the cases that generated code does not pass, with the reason.
var knownFailures = map[string]string{
	"node/test_dft_inverse":         "the expected values hold rounding noise of 1.9e-7 where the transform is 0; ONNX Runtime differs there, too",
	"node/test_dft_inverse_opset19": "as test_dft_inverse",
}

// TestConformance runs every case of the archives through generated code.
func TestConformance(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds 1,465 programs")
	}
	for _, archive := range []string{conformance.Models, conformance.Cases} {
		t.Run(archive, func(t *testing.T) {
			var out bytes.Buffer
			runCases([]string{conformance.Path(t, archive)}, onnxTolerance, "", "", false, &out, nil)
			for line := range strings.Lines(out.String()) {
				line = strings.TrimSpace(line)
				name, _, _ := strings.Cut(strings.TrimPrefix(line, "FAIL "), ":")
				switch {
				case !strings.HasPrefix(line, "FAIL "):
					t.Log(line)
				case knownFailures[name] == "":
					t.Error(line)
				default:
					t.Logf("%s: %s", name, knownFailures[name])
				}
			}
		})
	}
}

// TestTrainingOps runs the cases of ai.onnx.preview.training. Each must pass.
func TestTrainingOps(t *testing.T) {
	cases := []string{
		"node/test_adagrad", "node/test_adam", "node/test_adam_multiple", "node/test_momentum", "node/test_nesterov_momentum",
		"simple/test_gradient_of_add", "simple/test_gradient_of_add_and_mul",
	}
	archive := conformance.Path(t, conformance.Cases)
	if testing.Short() {
		t.Skip("it builds a program")
	}
	var out bytes.Buffer
	match := "(" + strings.Join(cases, "|") + ")(/|$)"
	if err := runCases([]string{archive}, onnxTolerance, match, "", true, &out, nil); err != nil {
		t.Error(err)
	}
	for _, name := range cases {
		if !strings.Contains(out.String(), "ok   "+name+"\n") {
			t.Errorf("%s did not pass: %s", name, out.String())
		}
	}
}
