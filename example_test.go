package bbgen_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/ir"
)

// A graph becomes the files of a Go package. The graph here is in its text form;
// package ir/onnx reads one from an ONNX file.
func ExampleCompile() {
	m, err := ir.Parse("relu.ir", `module "relu"
opset 21

func @main(%x: float32[batch,2]) -> (%y) {
  %y = Relu(%x) : ?
}
`)
	if err != nil {
		log.Fatal(err)
	}
	r, err := bbgen.Compile(m, bbgen.Config{Package: "relu", Source: "relu.ir"})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range r.Files {
		if f.Path != "graph.bb.go" {
			continue
		}
		for line := range strings.Lines(string(f.Bytes())) {
			if strings.HasPrefix(line, "\tcpu.") {
				fmt.Println(strings.TrimSpace(line))
			}
		}
	}
	// Output: cpu.Relu(out.Y, in.X) // y
}
