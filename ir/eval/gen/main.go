// Command gen writes kernels.go, the table from a kernel's name to its functions,
// one for each element type that evaluation works on, and failing.go, those that
// data can make fail.
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
