// Command gen writes the tables of what lowered calls name in package cpu: kernels.go has the functions of each kernel
// by element type, failing.go the kernels that can fail because of their data, packers.go the functions that convert
// constant operands, and constants.go the constants.
package main

import (
	"log"
	"os"

	"github.com/bbgen/bbgen/ir/eval/gen/table"
)

func main() {
	write("kernels.go", table.Source)
	write("failing.go", table.Failing)
	write("packers.go", table.Packers)
	write("constants.go", table.Constants)
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
