package onnx_test

import (
	"fmt"
	"log"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
)

// A module becomes the bytes of an ONNX file, and the bytes a module.
func ExampleDecode() {
	m, err := ir.Parse("double.ir", `module "double"
opset 21
func @main(%x: float32[n]) -> (%y) {
  %y = Add(%x, %x) : float32[n]
}`)
	if err != nil {
		log.Fatal(err)
	}
	b, err := onnx.Encode(m)
	if err != nil {
		log.Fatal(err)
	}
	again, err := onnx.Decode("double.onnx", b, nil) // nil: the weights are in the file
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ir.PrintFunc(again.Main))
	_, err = onnx.Decode("double.onnx", b[:len(b)-1], nil)
	fmt.Println(err)
	// Output:
	// @main(%x: float32[n]) -> (%y) {
	//   %y = Add(%x, %x) : float32[n]
	// }
	// double.onnx: not an ONNX model: no valid protobuf message; the file may be cut short
}
