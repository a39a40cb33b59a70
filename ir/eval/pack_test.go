package eval

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

var named = regexp.MustCompile(`"(Pack[A-Z]\w*)"|Maker: +"(\w+)"`)

// TestPackersNamed: each packer and each maker that an operator names is there.
func TestPackersNamed(t *testing.T) {
	files, err := filepath.Glob("../op/*/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no operators: ", err)
	}
	used := map[string]bool{}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllStringSubmatch(string(src), -1) {
			pack, maker := m[1], m[2]
			used[pack+maker] = true
			if pack != "" && packers[pack] == nil && joined[pack] == nil {
				t.Errorf("%s: there is no packer %s", file, pack)
			}
			if maker != "" && makers[maker] == nil {
				t.Errorf("%s: there is no maker %s", file, maker)
			}
		}
	}
	for _, name := range []string{"PackB32", "PackTaps8", "WinogradFilters8"} {
		if !used[name] {
			t.Errorf("no operator names %s: the test finds too little", name)
		}
	}
	for name := range joined {
		if packers[name] != nil || !used[name] {
			t.Errorf("%s is made from package cpu, or used by no operator", name)
		}
	}
}
