package isa

import (
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// Assembled is an instruction as the assembler wrote it.
type Assembled struct {
	Kernel string
	Text   string // with tabs between name and operands; BYTE, where the file gives an instruction's bytes
	Bytes  []byte
}

// Assemble runs Go's assembler for amd64 on a file and returns the instructions of its functions. It works on
// every machine, and writes an object file to the folder tmp.
func Assemble(file, tmp string) ([]Assembled, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	include := filepath.Join(strings.TrimSpace(string(root)), "pkg", "include")
	cmd := exec.Command("go", "tool", "asm", "-S", "-p", "p", "-I", include, "-o", filepath.Join(tmp, "out.o"), file)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%v: %w\n%s", cmd, err, out)
	}
	return parseListing(string(out))
}

// function is the part of a listing for a function: a line with its name, lines with the places of
// instructions, and its bytes in hexadecimal.
type function struct {
	name    string
	texts   []string
	starts  []int
	code    []byte
	encoded string // the latest line of bytes
}

func parseListing(out string) ([]Assembled, error) {
	var all []Assembled
	var f function
	for line := range strings.Lines(out + "end\n") {
		if !strings.HasPrefix(line, "\t") {
			all = append(all, f.instructions()...)
			name, _, found := strings.Cut(line, " STEXT ")
			f = function{name: strings.TrimPrefix(name, "p.")}
			if !found {
				f.name = "" // data
			}
		} else if err := f.read(line); err != nil {
			return nil, fmt.Errorf("listing of %s: %w", f.name, err)
		}
	}
	return all, nil
}

// read reads "0x0004 00004 (file:7)\tMOVQ\tAX, BX" or "0x0000 48 8b 44 24  H.D$".
func (f *function) read(line string) error {
	offset, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	if f.name == "" || offset == "rel" {
		return nil
	}
	if place, text, found := strings.Cut(rest, ")\t"); found {
		at, err := strconv.ParseInt(offset, 0, 64)
		if err != nil {
			return err
		}
		if strings.HasPrefix(text, "BYTE") {
			_, line, _ := strings.Cut(place, "(")
			if text = "BYTE"; line == f.encoded {
				return nil // another byte of the same instruction
			}
			f.encoded = line
		}
		if !strings.HasPrefix(text, "TEXT") && !strings.HasPrefix(text, "FUNCDATA") && !strings.HasPrefix(text, "PCDATA") {
			f.starts, f.texts = append(f.starts, int(at)), append(f.texts, text)
		}
		return nil
	}
	const bytesOfLine = 16
	b, err := hex.DecodeString(strings.ReplaceAll(rest[:min(len(rest), 3*bytesOfLine)], " ", ""))
	f.code = append(f.code, b...)
	return err
}

func (f *function) instructions() []Assembled {
	var is []Assembled
	for i, from := range f.starts {
		to := len(f.code)
		if i+1 < len(f.starts) {
			to = f.starts[i+1]
		}
		is = append(is, Assembled{f.name, f.texts[i], f.code[from:to]})
	}
	return is
}
