package partitioner_test

import (
	"fmt"
	"log"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/partitioner"
)

// A program of two classes, @a and @b, is cut where a sends a value to b.
func ExampleMake() {
	m, err := ir.Parse("program.ir", `module "root"
opset 21, "ai.bytesandbrains.wire" 1, "ai.bytesandbrains.syscall" 1
func @main(%a.x: float32[n]) -> (%b.y) {
  %peers = "ai.bytesandbrains.syscall":Peers() {class = "b"} @a
  %x = "ai.bytesandbrains.wire":Send(%a.x, %peers) {port = "x", to = "b"} @a
  %b.y = Sqrt(%x) @b
}`)
	if err != nil {
		log.Fatal(err)
	}
	if err := pass.Run(m, pass.Pipeline, nil); err != nil {
		log.Fatal(err)
	}
	p, err := partitioner.Make(m, partitioner.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(partitioner.Print(p))
	// Output:
	// program "root"
	// edge 0 a.x -> b: float32[n], id 88e6f339c9093cf2, depth 1
	//
	// class a
	//
	//   module a: by the host, with x
	//     cut 0 input x: %a.x float32[n]
	//     fields %a.x
	//     block 0 send_x [0], 2 ops
	//       %peers = ai.bytesandbrains.syscall:Peers() {class = "b"} : !peers
	//       send a.x: %a.x to %peers
	//
	// class b
	//
	//   module b: by a fill
	//     cut 0 fill x: %x@b float32[n], edge a.x
	//     cut 1 command b.y: %b.y float32[n]
	//     fields %x@b, %b.y
	//     block 0 compute [0] starts [1], 1 ops
	//       start 1: %b.y = compute0(%x@b), unknown FLOPs
	//     block 1 app_emit [1], 1 ops
	//       ai.bytesandbrains.syscall:AppEmit(%b.y) {name = "y"} name "emit_y"
	//
	//   func @compute0(%"x@b": float32[n]) -> (%b.y) {
	//     %b.y = Sqrt(%"x@b") : float32[n]
	//   }
}
