// Command gen writes kernels.go: the table from a kernel's name to its
// functions, one for each element type that evaluation works on.
package main

import (
	"log"
	"os"

	"github.com/bbgen/bbgen/ir/eval/gen/table"
)

func main() {
	src, err := table.Source("../../runtime/cpu")
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("kernels.go", src, 0o644); err != nil {
		log.Fatal(err)
	}
}
