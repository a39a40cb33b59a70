// Program fleet measures rounds of many clients through one broker, which is a process of its own. All clients are
// peers in this process, each with its own key and connection. The last line is a JSON object.
//
//	go build -o fleet ./internal/fleet && taskset -c 0,1 ./fleet -clients 10000
//
// Both processes need a descriptor for each client.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/nats"
	"github.com/bbgen/bbgen/runtime/host/nats/internal/hub"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/host/rusage"
	"github.com/bbgen/bbgen/runtime/tensor"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) >= 2 && os.Args[1] == "broker" {
		if err := serve(os.Args[2:]...); err != nil {
			log.Fatal("broker: ", err)
		}
		return
	}
	f := fleet{}
	flag.IntVar(&f.clients, "clients", 1000, "the `number` of clients")
	flag.IntVar(&f.rounds, "rounds", 10, "the `number` of rounds")
	flag.IntVar(&f.params, "params", 100, "the `number` of parameters, float64, that a round sends to each client and back")
	flag.StringVar(&f.profiles, "profiles", "", "a `folder` for CPU profiles: of the broker, and of this process while it connects and during the rounds")
	flag.StringVar(&f.log, "log", "none", "the `level` of the server's log")
	flag.Parse()
	if err := f.run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// serve runs the broker until standard input ends, under the profiler if there is a folder for profiles. It prints its
// address.
func serve(profiles ...string) error {
	h, err := hub.Start(0)
	if err != nil {
		return err
	}
	stop, err := profile(strings.Join(profiles, ""), "broker")
	if err != nil {
		return err
	}
	defer stop()
	fmt.Println(h.Address())
	io.Copy(io.Discard, os.Stdin)
	h.Stop()
	return nil
}

// broker is the broker's process.
type broker struct {
	cmd     *exec.Cmd
	in      io.Closer
	address string
}

func startBroker(profiles string) (*broker, error) {
	b := &broker{cmd: exec.Command(os.Args[0], "broker", profiles)}
	b.cmd.Stderr = os.Stderr
	in, err := b.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	b.in = in
	out, err := b.cmd.StdoutPipe()
	if err == nil {
		err = b.cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the broker tells no address: %w", err), b.cmd.Wait())
	}
	b.address = strings.TrimSpace(line)
	return b, nil
}

// stop ends the broker, and returns the processor time that it took.
func (b *broker) stop() time.Duration {
	b.in.Close()
	b.cmd.Wait()
	s := b.cmd.ProcessState
	return s.UserTime() + s.SystemTime()
}

// fleet is a server and its clients.
type fleet struct {
	clients, rounds, params int
	profiles, log           string

	dir    string
	broker *broker
	peers  []*peer.Peer
}

// result is the last line.
type result struct {
	Clients   int     `json:"clients"`
	Rounds    int     `json:"rounds"`
	Bytes     int     `json:"bytes"`     // of a message's value
	Connect   float64 `json:"connect_s"` // until all clients are connected to the server
	Seconds   float64 `json:"rounds_s"`  // of all rounds
	CPU       float64 `json:"cpu_s"`     // processor time of the process
	Broker    float64 `json:"broker_s"`  // processor time of the broker
	PeakMiB   uint64  `json:"peak_mib"`  // of memory
	Processor int     `json:"threads"`   // GOMAXPROCS
}

func (f *fleet) run(w io.Writer) error {
	var err error
	if f.dir, err = os.MkdirTemp("", "fleet"); err != nil {
		return err
	}
	defer os.RemoveAll(f.dir)
	if f.broker, err = startBroker(f.profiles); err != nil {
		return err
	}
	r := result{Clients: f.clients, Rounds: f.rounds, Bytes: 8 * f.params, Processor: goruntime.GOMAXPROCS(0)}
	if err := f.keys(); err != nil {
		return err
	}
	stop, err := profile(f.profiles, "connect")
	if err != nil {
		return err
	}
	began := time.Now()
	if err := f.start(); err != nil {
		return err
	}
	if err := f.peers[0].Ready(context.Background()); err != nil {
		return err
	}
	ready := time.Now()
	r.Connect = ready.Sub(began).Seconds()
	stop()
	before := rusage.CPU()
	fmt.Fprintf(w, "connected: %.1f s, cpu %.1f s\n", r.Connect, before.Seconds())
	if stop, err = profile(f.profiles, "rounds"); err != nil {
		return err
	}
	if err := f.follow(w); err != nil {
		return err
	}
	stop()
	r.Seconds = time.Since(ready).Seconds()
	r.CPU, r.PeakMiB = rusage.CPU().Seconds(), rusage.Memory()>>20
	for _, p := range f.peers {
		p.Close()
	}
	r.Broker = f.broker.stop().Seconds()
	return json.NewEncoder(w).Encode(r)
}

// member is a line of a list of peers.
type member struct {
	ID        string   `json:"id"`
	Class     string   `json:"class"`
	Rank      int      `json:"rank"`
	Addresses []string `json:"addresses,omitempty"`
}

// keys makes the keys of all peers, and the lists of peers.
func (f *fleet) keys() error {
	server, err := f.key("server", 0)
	if err != nil {
		return err
	}
	server.Addresses = []string{f.broker.address}
	list := []member{}
	for rank := range f.clients {
		m, err := f.key("client", rank)
		if err != nil {
			return err
		}
		list = append(list, m)
	}
	if err := f.write("clients.json", list); err != nil {
		return err
	}
	return f.write("server.json", []member{server})
}

// start starts the server and all clients.
func (f *fleet) start() error {
	at := f.broker.address
	if err := f.begin(f.server(), "server", 0, "clients.json", "-listen", at, "-await", fmt.Sprintf("client=%d", f.clients), "-log", f.log, "-events", filepath.Join(f.dir, "events")); err != nil {
		return err
	}
	for rank := range f.clients {
		if err := f.begin(client(), "client", rank, "server.json", "-edge", "-log", "none"); err != nil {
			return err
		}
	}
	return nil
}

// key makes the key of a peer, and returns its line in the list of peers.
func (f *fleet) key(class string, rank int) (member, error) {
	key, err := peer.NewKey(f.keyFile(class, rank))
	if err != nil {
		return member{}, err
	}
	return member{ID: peer.IDOf(key).String(), Class: class, Rank: rank}, nil
}

func (f *fleet) keyFile(class string, rank int) string {
	return filepath.Join(f.dir, fmt.Sprintf("%s-%d.pem", class, rank))
}

func (f *fleet) write(name string, list []member) error {
	b, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(f.dir, name), b, 0o600)
}

// begin starts a peer.
func (f *fleet) begin(p peer.Program, class string, rank int, list string, more ...string) error {
	args := append([]string{"-key", f.keyFile(class, rank), "-rank", fmt.Sprint(rank), "-peers", filepath.Join(f.dir, list), "-connections", "1"}, more...)
	x, err := peer.Start(context.Background(), p, args...)
	if err != nil {
		return fmt.Errorf("%s %d: %w", class, rank, err)
	}
	f.peers = append(f.peers, x)
	return nil
}

// server returns the program of the peer that averages what all clients send.
func (f *fleet) server() peer.Program {
	params := make([]float64, f.params)
	p := handmade.Server(f.rounds, f.clients, int64(10*time.Minute))
	return peer.Program{
		Name: "rounds", Class: p.Class, Fingerprint: p.Fingerprint, Transport: nats.New,
		Partition: func(runtime.Env) (*runtime.Partition, error) { return p, nil },
		Start: func(n *runtime.Node) error {
			_, err := n.Invoke(n.Now(), "server", tensor.Of(params, len(params)))
			return err
		},
	}
}

// client returns the program of the peers that train.
func client() peer.Program {
	return peer.Program{
		Name: "rounds", Class: "client", Fingerprint: handmade.Client(nil).Fingerprint, Transport: nats.New,
		Partition: func(e runtime.Env) (*runtime.Partition, error) {
			return handmade.Client(&handmade.Trainer{Rank: e.Rank}), nil
		},
	}
}

// follow waits until the server has ended all rounds.
func (f *fleet) follow(w io.Writer) error {
	file, err := os.Open(filepath.Join(f.dir, "events"))
	if err != nil {
		return err
	}
	defer file.Close()
	r := bufio.NewReader(file)
	for done, text := 0, ""; done < f.rounds; {
		part, err := r.ReadString('\n')
		if text += part; err != nil {
			time.Sleep(10 * time.Millisecond)
			continue
		}
		var l peer.Line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			return err
		}
		text = ""
		switch {
		case l.Kind == "failed" || l.Error != "" && strings.HasPrefix(l.Kind, "end"):
			return fmt.Errorf("the server: %s: %s", l.Kind, l.Error)
		case l.Kind == "finished":
			done++
			fmt.Fprintf(w, "round %d\n", done)
		}
	}
	return nil
}

// profile starts a CPU profile in a folder, and returns what ends it. Without a folder there is none.
func profile(dir, name string) (stop func(), err error) {
	if dir == "" {
		return func() {}, nil
	}
	w, err := os.Create(filepath.Join(dir, name+".pprof"))
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(w); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return func() {
		pprof.StopCPUProfile()
		w.Close()
	}, nil
}
