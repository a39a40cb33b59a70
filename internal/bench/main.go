// Command bench times generated peers in comparison with ONNX Runtime and writes BENCH.md.
//
//	go run ./internal/bench -cases DIR -ort BIN
//
// It also times networks of dense layers, which it generates itself, unless -perceptrons=false is given.
//
// DIR holds cases in the format of ONNX's backend tests (model.onnx and test_data_set_0). BIN is a program
// that times ONNX Runtime on such cases and prints the line of JSON that "peer bench" prints. Without it only
// the peers are timed. The two run in turn, in several rounds, so that changes of the machine's speed affect
// both. Figures are medians over the rounds, and the ratios of a row come from the same run. The sections
// after the table are kept.
//
// With -threads 1,2,4 the section "Scaling" is written instead. A machine without a Go toolchain uses
// binaries that another one has built:
//
//	go run ./internal/bench -cases DIR -perceptrons=false -build PEERS
//	bench -cases DIR -perceptrons=false -peers PEERS -threads 1,2,4,8 -o -
package main

import (
	"cmp"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bbgen/bbgen/internal/bench/section"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("bench: ")
	var cases list
	flag.Var(&cases, "cases", "a `folder` of cases, or a case; may be repeated")
	ort := flag.String("ort", "", "the `program` that times ONNX Runtime")
	rounds := flag.Int("rounds", 5, "how often each is timed")
	budget := flag.Duration("time", 500*time.Millisecond, "how long one timing takes")
	own := flag.Bool("perceptrons", true, "time networks of dense layers besides the cases")
	out := flag.String("o", "BENCH.md", "the `file` to write, - for standard output")
	peers := flag.String("peers", "", "a `folder` of peers that -build has written")
	only := flag.String("build", "", "write the peers into a `folder`, and do nothing else")
	var threads section.Counts
	flag.Var(&threads, "threads", "write how peers scale with such `numbers` of threads, as in 1,2,4,8")
	flag.Parse()
	if len(cases) == 0 && !*own {
		log.Fatal("give -cases DIR")
	}
	dirs, err := find(cases)
	if err != nil {
		log.Fatal(err)
	}
	tmp, err := os.MkdirTemp("", "bbgen-bench-*")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(tmp)
	given := len(dirs)
	if *own {
		more, err := writePerceptrons(filepath.Join(tmp, "perceptrons"))
		if err != nil {
			log.Fatal(err)
		}
		dirs = append(dirs, more...)
	}
	b := bench{ort: *ort, peers: *peers, rounds: *rounds, budget: *budget, threads: threads}
	if threads == nil {
		b.threads = section.Counts{1, 2}
	}
	if b.peers == "" {
		if b.peers = cmp.Or(*only, filepath.Join(tmp, "peers")); !b.buildAll(dirs, filepath.Join(tmp, "src")) {
			os.RemoveAll(tmp)
			os.Exit(1)
		}
	}
	if *only != "" {
		return
	}
	var rows []*row
	for i, dir := range dirs {
		log.Printf("%d of %d: %s", i+1, len(dirs), filepath.Base(dir))
		r, err := b.measure(dir)
		if err != nil {
			log.Printf("%s: %v", dir, err)
			continue
		}
		r.made = i >= given
		rows = append(rows, r)
	}
	if err := write(*out, rows, threads); err != nil {
		log.Fatal(err)
	}
}

// write writes the section on scaling if numbers of threads are given, and otherwise the page.
func write(name string, rows []*row, threads section.Counts) error {
	if threads != nil {
		return section.Write(name, scaling(rows, threads))
	}
	text := page(rows)
	if name == "-" {
		_, err := fmt.Print(text)
		return err
	}
	return os.WriteFile(name, []byte(text+sections(name)), 0o666)
}

// sections returns the sections after the file's table, which other programs write.
func sections(name string) string {
	b, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	_, rest, found := strings.Cut(string(b), "\n## ")
	if !found {
		return ""
	}
	return "\n## " + rest
}

// list collects the values of a repeated flag.
type list []string

func (l *list) String() string     { return strings.Join(*l, ",") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

// find lists the cases below the given folders.
func find(roots []string) ([]string, error) {
	var out []string
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if err == nil && d.Name() == "model.onnx" {
				out = append(out, filepath.Dir(path))
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
