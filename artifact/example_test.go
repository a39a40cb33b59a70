package artifact_test

import (
	"fmt"
	"log"

	"github.com/bbgen/bbgen/artifact"
	"github.com/bbgen/bbgen/ir"
)

// A recorded program is a graph whose metadata name the component of each slot.
func Example() {
	m := new(ir.Module)
	artifact.SetProgram(m, "digits")
	artifact.Bind(m, "server", "agg", artifact.Binding{
		Role:    "aggregator",
		Package: "github.com/bbgen/bbgen/runtime/component/fedavg",
		Type:    "Average",
	})
	b, err := artifact.Bound(m, artifact.Key("server", "agg"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(artifact.IsProgram(m), b.Role, b.Type)
	for _, e := range m.Meta {
		fmt.Println(e.Key)
	}
	// Output:
	// true aggregator Average
	// ai.bytesandbrains.program
	// ai.bytesandbrains.binding.server.agg
}
