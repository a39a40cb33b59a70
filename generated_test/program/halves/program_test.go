package halves

import (
	"bytes"
	"os"
	"testing"

	"github.com/bbgen/bbgen/internal/fresh"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
)

// TestGraphs compares the models of the program with the graphs from which they are written. With BBGEN_UPDATE=1 it
// writes them. It comes before TestFresh, which reads them.
func TestGraphs(t *testing.T) {
	for _, name := range []string{"front", "back", "whole"} {
		text, err := os.ReadFile(name + ".ir")
		if err != nil {
			t.Fatal(err)
		}
		m, err := ir.Parse(name+".ir", string(text))
		if err != nil {
			t.Fatal(err)
		}
		b, err := onnx.Encode(m)
		if err == nil && os.Getenv("BBGEN_UPDATE") == "1" {
			err = os.WriteFile(name+".onnx", b, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(name + ".onnx"); err != nil || !bytes.Equal(got, b) {
			t.Errorf("%s.onnx is not the graph in %s.ir: BBGEN_UPDATE=1 go test writes it", name, name)
		}
	}
}

func TestFresh(t *testing.T) { fresh.Peers{Dir: "peer"}.Check(t, Program()) }
