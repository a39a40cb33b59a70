package peerplan_test

import (
	"fmt"
	"log"

	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/partitioner"
)

// A peer of class b waits a second with what it has received. So its frame keeps that value.
func ExampleMake() {
	m, err := ir.Parse("program.ir", `module "later"
opset 21, "ai.bytesandbrains.wire" 1, "ai.bytesandbrains.syscall" 1
func @main(%a.x: float32[4]) -> (%b.y) {
  %peers = "ai.bytesandbrains.syscall":Peers() {class = "b"} @a
  %x = "ai.bytesandbrains.wire":Send(%a.x, %peers) {port = "x", to = "b"} @a
  %second = "ai.bytesandbrains.syscall":After() {delay_ns = 1000000000} @b
  %late = "ai.bytesandbrains.syscall":Gate(%x, %second) @b
  %b.y = Sqrt(%late) @b
}`)
	if err != nil {
		log.Fatal(err)
	}
	if err := pass.Run(m, pass.Pipeline, nil); err != nil {
		log.Fatal(err)
	}
	program, err := partitioner.Make(m, partitioner.Options{})
	if err != nil {
		log.Fatal(err)
	}
	p, err := peerplan.Make(program.Parts[1], nil) // of class b
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(peerplan.Print(p))
	// Output:
	// peer b, snapshots 0x799a14c87788a9f0, 0 bytes of weights
	//   queues compute
	//   compute compute0: 2 steps, arena of 0 bytes, 0 bytes of weights at 0
	//
	//   frame bFrame of b
	//     kept xB float32[4]: until blockAppEmit
	//     scratch y float32[4]
	//     same late: x@b
}
