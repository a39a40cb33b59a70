// Command gen writes kernels.go, a table of the functions of each kernel by element type, and failing.go, a
// table of the kernels that can fail because of their data.
package main

import (
	"log"
	"os"

	"github.com/bbgen/bbgen/ir/eval/gen/table"
)

func main() {
	write("kernels.go", table.Source)
	write("failing.go", table.Failing)
}

func write(name string, source func(dir string) ([]byte, error)) {
	src, err := source("../../runtime/cpu")
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(name, src, 0o644); err != nil {
		log.Fatal(err)
	}
}
