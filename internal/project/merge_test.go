package project

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestMerge: files for the same systems become one, others stay apart. So do files that call different packages by one name.
func TestMerge(t *testing.T) {
	const in = `-- a.go --
// Package p is a package.
package p

import (
	"math/rand/v2"
	_ "embed" // pages
)

// A is random.
var A = rand.Int()
-- b.go --
// Copyright

package p

import "fmt"
import other "math/rand"

func b() { fmt.Println(other.Int()) } // b
-- c.go --
package p

import "math/rand"

func c() int { return rand.Int() }
-- c_other.go --
package p
-- d_linux_amd64.go --
package p

func d() {}
-- e.go --
//go:build !linux || purego

package p

func d() {}
-- f_linux_amd64.go --
package p

func f() {}
-- linux.go --
package p

func linux() {}
`
	const want = `-- p.go --
// Package p is a package.

// Copyright
package p

import (
	"fmt"
	"math/rand/v2"
	_ "embed"
	other "math/rand"
)

// From a.go.

// A is random.
var A = rand.Int()

// From b.go.

func b() { fmt.Println(other.Int()) } // b

// From linux.go.

func linux() {}
-- p2.go --
package p

import (
	"math/rand"
)

// From c.go.

func c() int { return rand.Int() }
-- p3_linux_amd64.go --
package p

// From d_linux_amd64.go.

func d() {}

// From f_linux_amd64.go.

func f() {}
-- p4.go --
//go:build !linux || purego

package p

// From e.go.

func d() {}
`
	var files []*source
	for _, f := range txtar.Parse([]byte(in)).Files {
		s, err := parseSource(f.Name, f.Data)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, s)
	}
	var got txtar.Archive
	for name, text := range merge("x.org/q/p", files) {
		got.Files = append(got.Files, txtar.File{Name: name, Data: text})
	}
	slices.SortFunc(got.Files, func(a, b txtar.File) int { return strings.Compare(a.Name, b.Name) })
	if text := string(txtar.Format(&got)); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}
