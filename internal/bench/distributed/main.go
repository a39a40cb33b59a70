// Command distributed measures distributed programs and writes the section
// "Distributed" of BENCH.md.
//
//	go run ./internal/bench/distributed                             # all of it, some minutes
//	go run ./internal/bench/distributed -only rounds,kill           # some figures, to standard output
//	go run ./internal/bench/distributed -hosts tcp -rounds 20 -json # fast, as JSON
//
// A machine without a Go toolchain uses binaries that another one has built:
//
//	go run ./internal/bench/distributed -build PEERS
//	CGO_ENABLED=0 go build ./internal/bench/distributed
//	distributed -peers PEERS -o -
//
// It generates the peers of two small programs, builds them, and runs them as processes with encrypted
// connections on the loopback. The figures of rounds are from the server's output of -events.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/internal/bench/section"
	"github.com/bbgen/bbgen/internal/project"
)

// bench holds the common data of all figures.
type bench struct {
	*workshop
	rounds int
	rows   []row
	bins   map[string]map[string]string // by program and host
	fleets int
}

// figures are the possible measurements; those of a host are made for each host.
var figures = []struct {
	name, what string
	host       func(*bench, string) error
	alone      func(*bench) error
}{
	{name: "rounds", what: "how long a round takes, of three sizes, and durable", host: (*bench).timeRounds},
	{name: "masked", what: "what a round of secure aggregation costs in plain ones, also if two clients are killed in it", host: (*bench).maskedRounds},
	{name: "bytes", what: "bytes of a round on the wire", host: (*bench).countBytes},
	{name: "kill", what: "how long a killed client holds up a round", host: (*bench).killClients},
	{name: "restart", what: "how long a killed server holds up a round", host: (*bench).restartServer},
	{name: "memory", what: "what a server holds of ten clients of 100 MiB", host: (*bench).serverMemory},
	{name: "simulation", what: "1,000 and 10,000 peers in one process", alone: (*bench).simulate},
	{name: "engine", what: "fills and blocks of one engine", alone: (*bench).engine},
	{name: "stream", what: "throughput, beside a bare stream", host: (*bench).streams},
	{name: "overhead", what: "bytes written for a tensor of 1 MiB", host: (*bench).overhead},
	{name: "size", what: "of a client's binary", host: (*bench).sizes},
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("distributed: ")
	hosts := flag.String("hosts", "tcp,libp2p", "what peers talk over, `names` of packages below runtime/host")
	only := flag.String("only", "", "the `figures` to measure, all if there are none:\n"+list())
	rounds := flag.Int("rounds", 100, "how many rounds are timed")
	out := flag.String("o", "", "the `file` whose section is written, - for standard output (default BENCH.md, with -only -)")
	asJSON := flag.Bool("json", false, "write the figures to standard output as JSON, and no file")
	peers := flag.String("peers", "", "a `folder` of what is run, that -build has written")
	build := flag.String("build", "", "write what is run into a `folder`, and do nothing else")
	flag.Usage = usage
	flag.Parse()
	chosen := strings.FieldsFunc(*only, func(r rune) bool { return r == ',' })
	for _, name := range chosen {
		if !strings.Contains(list(), "  "+name+" ") {
			log.Fatalf("-only %s: there is no such figure; there are:\n%s", name, list())
		}
	}
	if *out == "" {
		*out = "BENCH.md"
		if len(chosen) > 0 {
			*out = "-"
		}
	}
	tmp, remove, err := project.TempDir("", "bbgen-bench-*")
	if err != nil {
		log.Fatal(err)
	}
	b := &bench{rounds: *rounds, bins: map[string]map[string]string{}}
	if b.workshop, err = workshopAt(tmp, *peers, *build); err == nil {
		if list := strings.Split(*hosts, ","); *build != "" {
			err = b.buildAll(list)
		} else {
			load, busy := section.Busy()
			failed := b.measure(list, chosen)
			err = errors.Join(failed, b.tell(*out, *asJSON, note(load, busy)))
		}
	}
	remove()
	if err != nil {
		log.Fatal(err)
	}
}

// tell writes the results.
func (b *bench) tell(out string, asJSON bool, note string) error {
	if !asJSON {
		return section.Write(out, page(b.rows, note))
	}
	e := json.NewEncoder(os.Stdout)
	e.SetIndent("", "\t")
	return e.Encode(b.rows)
}

func usage() {
	fmt.Fprint(flag.CommandLine.Output(), `Measure distributed programs and write the section "Distributed" of BENCH.md.

usage: go run ./internal/bench/distributed [flags], from the root of the repository

`)
	flag.PrintDefaults()
	fmt.Fprint(flag.CommandLine.Output(), `
examples:
  go run ./internal/bench/distributed
  go run ./internal/bench/distributed -only rounds,kill
  go run ./internal/bench/distributed -hosts tcp -rounds 20 -json
  go run ./internal/bench/distributed -build PEERS; distributed -peers PEERS -o - # on a machine without Go
`)
}

// list returns the figures, for help.
func list() string {
	var b strings.Builder
	for _, f := range figures {
		fmt.Fprintf(&b, "  %-10s %s\n", f.name, f.what)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// measure makes the selected measurements. A failure does not stop the others.
func (b *bench) measure(hosts, only []string) error {
	var errs []error
	for _, f := range figures {
		if len(only) > 0 && !slices.Contains(only, f.name) {
			continue
		}
		if f.alone != nil {
			log.Print(f.name)
			if err := f.alone(b); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", f.name, err))
			}
			continue
		}
		for _, host := range hosts {
			log.Printf("%s, %s", f.name, host)
			if err := f.host(b, host); err != nil {
				errs = append(errs, fmt.Errorf("%s, %s: %w", f.name, host, err))
			}
		}
	}
	return errors.Join(errs...)
}

// add adds a row, and shows it as progress.
func (b *bench) add(r row) {
	b.rows = append(b.rows, r)
	log.Printf("  %s: %s (%s) %s %s", r.Figure, r.middle(), r.best(), r.bar(), r.verdict())
}

// buildAll builds the programs of all figures.
func (b *bench) buildAll(hosts []string) error {
	if _, err := b.simulator(); err != nil {
		return err
	}
	if _, err := b.tests(); err != nil {
		return err
	}
	for _, host := range hosts {
		if _, err := b.clients(host); err != nil {
			return err
		}
		if _, err := b.binaries("stream", host, "source", "sink"); err != nil {
			return err
		}
		if _, err := b.binaries("masked", host, "server", "client"); err != nil {
			return err
		}
		if _, err := b.raw(host); err != nil {
			return err
		}
	}
	return nil
}

// binaries returns the binaries of a program on a host, which are built once.
func (b *bench) binaries(pkg, host string, classes ...string) (map[string]string, error) {
	key := filepath.Join(pkg, host)
	if b.bins[key] == nil {
		bins, err := b.peers(pkg, host, classes...)
		if err != nil {
			return nil, err
		}
		b.bins[key] = bins
	}
	return b.bins[key], nil
}

// fleet starts peers of a program.
func (b *bench) fleet(pkg string, s setting) (*fleet, error) {
	bins, err := b.binaries(pkg, s.host, s.first, s.others)
	if err != nil {
		return nil, err
	}
	b.fleets++
	return s.start(filepath.Join(b.dir, fmt.Sprint("fleet", b.fleets)), bins)
}

// run runs a fleet during a measurement.
func (b *bench) run(pkg string, s setting, measure func(*fleet) error) error {
	f, err := b.fleet(pkg, s)
	if err != nil {
		return err
	}
	defer f.stop()
	return measure(f)
}
