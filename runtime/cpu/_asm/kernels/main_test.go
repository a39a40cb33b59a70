package kernels

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// cpuFiles are the package cpu of the tests.
var cpuFiles = map[string]string{
	"cpu.go": `package cpu

import (
	"time"
	"unsafe"
)

type tile struct {
	a, b  *float32
	n     int
	flags uint8
	sums  [4]int32
	base  unsafe.Pointer
	since time.Duration
	last  int
}

type number int

func addGo(dst, a, b []float32)        { missing() }
func sumGo(x []float32, n int) float32 { return 0 }
`,
	"pair_amd64.go": "package cpu\n\ntype pair struct {\n\tfirst  uint8\n\tsecond int64\n}\n",
	"pair_arm64.go": "package cpu\n\ntype pair struct{ second, first uint8 }\n",
	"cpu_test.go":   "package cpu\n\ntype pair struct{}\n",
}

// TestMain runs the tests in a folder _asm, as generators are.
func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "cpu")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer os.RemoveAll(dir)
	for name, text := range cpuFiles {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			fmt.Println(err)
			return 1
		}
	}
	asm := filepath.Join(dir, "_asm")
	if err := os.Mkdir(asm, 0o777); err != nil {
		fmt.Println(err)
		return 1
	}
	if err := os.Chdir(asm); err != nil {
		fmt.Println(err)
		return 1
	}
	return m.Run()
}
