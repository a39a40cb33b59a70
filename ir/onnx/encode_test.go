package onnx

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bbgen/bbgen/internal/conformance"
	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
)

// TestEncode writes programs and reads them back: out/NAME is the changed text form, and is missing if there
// is no change.
func TestEncode(t *testing.T) {
	golden.Run(t, "testdata/encode/*.txtar", func(t *testing.T, a *golden.Archive) {
		m, err := ir.Parse("in.ir", a.Get("in.ir"))
		if err != nil {
			t.Fatal(err)
		}
		b, err := Encode(m)
		if err != nil {
			a.Check("out/decoded", "error: "+err.Error())
			return
		}
		got, err := Decode(m.File, b, nil)
		if err != nil {
			t.Fatal(err)
		}
		if text := ir.Print(got); text != ir.Print(m) {
			a.Check("out/decoded", text)
		}
	})
}

// TestRoundTrip writes and reads the decoded models in testdata.
func TestRoundTrip(t *testing.T) {
	for _, b := range goldenModels(t) {
		m, err := Decode("m.onnx", b, nil)
		if err == nil {
			checkRoundTrip(t, m)
		}
	}
}

// TestRoundTripConformance decodes, encodes and decodes the models of ONNX's own tests.
func TestRoundTripConformance(t *testing.T) {
	for _, name := range []string{conformance.Cases, conformance.OldOpsets, conformance.Models, conformance.Training} {
		t.Run(name, func(t *testing.T) {
			for _, c := range conformance.List(t, conformance.Open(t, name)) {
				m, err := Decode(c.Name, c.Model(t), nil)
				if err != nil {
					t.Error(err)
					continue
				}
				checkRoundTrip(t, m)
			}
		})
	}
}

// checkRoundTrip checks that m has the same text form after it was written to a file and read, and that the
// file always has the same bytes.
func checkRoundTrip(t *testing.T, m *ir.Module) {
	t.Helper()
	b, err := Encode(m)
	if err != nil {
		t.Errorf("%s: %v", m.File, err)
		return
	}
	got, err := Decode(m.File, b, nil)
	if err != nil {
		t.Error(err)
		return
	}
	if d := cmp.Diff(ir.Print(m), ir.Print(got)); d != "" {
		t.Errorf("%s: -module +after a round trip:\n%s", m.File, d)
	}
	again, err := Encode(got)
	if err != nil || !bytes.Equal(b, again) {
		t.Errorf("%s: other bytes the second time (error %v)", m.File, err)
	}
}
