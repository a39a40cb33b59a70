package peer

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/connection"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
	"github.com/bbgen/bbgen/runtime/host/peer/trust"
	"github.com/bbgen/bbgen/runtime/host/suggest"
)

// Options are the options of a peer: from a configuration file, which uses the field names here, and from
// flags, which override the file.
type Options struct {
	Host       string         `json:"host"`
	Listen     []string       `json:"listen"`
	Join       []string       `json:"join"`
	Key        string         `json:"key"`
	Data       string         `json:"data"`
	In         []string       `json:"in"`
	Out        string         `json:"out"`
	State      string         `json:"state"`
	HTTP       string         `json:"http"`
	OTLP       string         `json:"otlp"`
	Kernels    string         `json:"kernels"`
	Accept     string         `json:"accept"`
	Rank       int            `json:"rank"` // -1: from the invitation, the line of -peers, or 0
	Seed       uint64         `json:"seed"`
	Peers      []trust.Member `json:"peers"`
	Await      map[string]int `json:"await"`
	Once       bool           `json:"once"`
	TrustFirst bool           `json:"trust_first"`
	Events     string         `json:"events"`
	Log        string         `json:"log"`
	Level      string         `json:"log_level"`
	Edge       bool           `json:"edge"`

	// Connections is the number of parallel connections to a peer for large values; 0 chooses, 1 is none.
	Connections int `json:"connections"`

	Grace    string          `json:"grace"`
	Patience string          `json:"patience"`
	Chaos    string          `json:"chaos"`
	Program  json.RawMessage `json:"program"`

	disk disk.FS // for tests; nil: the process's
}

// commandNames are the commands, with the strings of the list in the help: see [commands].
var commandNames = []struct{ name, short string }{
	{"keygen", "make a private key"},
	{"id", "print the peer id of a key"},
	{"invite", "print an invitation for one more peer"},
	{"doctor", "see whether peers can be reached, and what is wrong if not"},
	{"upgrade", "have a running peer go on as another binary"},
	{"version", "print which program and class this is, as JSON"},
}

// commandList returns the list of commands for the help.
func commandList() string {
	var b strings.Builder
	for _, c := range commandNames {
		fmt.Fprintf(&b, "  %-8s %s\n", c.name, c.short)
	}
	return b.String()
}

// isCommand reports whether an argument names a command.
func isCommand(arg string) bool {
	for _, c := range commandNames {
		if c.name == arg {
			return true
		}
	}
	return false
}

const example = "peer -listen 127.0.0.1:4001 -state state -peers peers.json"

// parse reads flags, and the files that they name. If help is requested, it prints it and returns
// [flag.ErrHelp].
func parse(p *Program, args []string, stdout io.Writer) (*Options, error) {
	o := &Options{Rank: -1}
	if err := o.readConfig(configOf(args)); err != nil {
		return nil, err
	}
	f := flag.NewFlagSet(p.Name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	o.flags(f)
	err := suggest.Flag(f.Parse(args), f)
	switch {
	case errors.Is(err, flag.ErrHelp):
		f.SetOutput(stdout)
		fmt.Fprintf(stdout, "A %s of the program %q, compiled by bbgen.\n\nusage: %s [flags]\n\n", p.Class, p.Name, filepath.Base(os.Args[0]))
		f.PrintDefaults()
		fmt.Fprintf(stdout, "\ncommands, each with -h:\n%s", commandList())
		fmt.Fprintf(stdout, "\nexample:\n  %s\n", example)
		return nil, err
	case err != nil:
		return nil, err
	case f.NArg() > 0:
		return nil, unexpected(f.Arg(0))
	}
	if o.Connections < 0 || o.Connections > connection.MaxParallel {
		return nil, fmt.Errorf("-connections %d: want 1 to %d, or 0 for the default", o.Connections, connection.MaxParallel)
	}
	if o.Rank < -1 {
		return nil, fmt.Errorf("the rank is %d, want 0 or more", o.Rank)
	}
	for class, n := range o.Await {
		if err := p.checkClass(class); err != nil {
			return nil, fmt.Errorf("-await %s: %w", class, err)
		}
		if n < 0 {
			return nil, fmt.Errorf("-await %s: %d peers, want 0 or more", class, n)
		}
	}
	for i := range o.Peers {
		if err := p.checkClass(o.Peers[i].Class); err != nil {
			return nil, fmt.Errorf("-peers: peer %v: %w", o.Peers[i].ID, err)
		}
	}
	return o, p.choose(o.Host)
}

// unexpected returns an error for an argument that is no flag.
func unexpected(arg string) error {
	if isCommand(arg) {
		return fmt.Errorf("unexpected argument %q: a command stands before its flags, as in %s %s -state DIR", arg, filepath.Base(os.Args[0]), arg)
	}
	return fmt.Errorf("unexpected argument %q", arg)
}

func (o *Options) flags(f *flag.FlagSet) {
	f.String("config", "", "read options from `FILE`, in JSON: fields are named as flags, with _ for -")
	f.StringVar(&o.Host, "host", o.Host, "talk over the network `NAME`, as all peers of the program must (default: the one it was generated for)")
	o.listFlag(f, &o.Listen, "listen", "accept peers at `ADDRESS`, host:port or /ip4/…/tcp/…; several times")
	o.listFlag(f, &o.Join, "join", "join with the invitation `TOKEN`, or at an address with -trust-first; several times")
	f.StringVar(&o.Key, "key", o.Key, "the peer's private key is in `FILE` (default: key.pem in the state directory, made if missing)")
	f.StringVar(&o.Data, "data", o.Data, "the program finds its data in `DIR`")
	o.listFlag(f, &o.In, "in", "begin an execution with the tensor in a file, .npy or .pb, `NAME=FILE`, or with peers, as in to=@worker-0; several times: one for each file of an input")
	f.StringVar(&o.Out, "out", o.Out, "write values that the program gives to its host to `DIR`, as NAME-NUMBER.npy")
	f.StringVar(&o.State, "state", o.State, "keep snapshots, key and admitted peers in `DIR`, and go on from there")
	f.StringVar(&o.HTTP, "http", o.HTTP, "status, metrics and pprof at `ADDRESS`; a port alone means loopback; elsewhere there is no pprof, and the page needs the token in the log")
	f.StringVar(&o.OTLP, "otlp", o.OTLP, "send a trace of each execution to the OpenTelemetry collector at `URL`, as in http://localhost:4318 (default: as OTEL_EXPORTER_OTLP_ENDPOINT says)")
	f.StringVar(&o.Kernels, "kernels", o.Kernels, "compute with kernels of `LEVEL`: portable, avx2, avx512 (default: the best here)")
	f.StringVar(&o.Accept, "accept", o.Accept, "let in peers of one more program with `FINGERPRINT`, whose shared edges are the same")
	f.Func("rank", "the peer is number `N` of its class (default: as the invitation or the line of -peers says, or 0)", func(s string) (err error) {
		if o.Rank, err = strconv.Atoi(s); err != nil || o.Rank < 0 {
			return errors.New("want 0 or more")
		}
		return nil
	})
	f.Uint64Var(&o.Seed, "seed", o.Seed, "all randomness of the program follows from `N`")
	f.Func("peers", "admit the peers that `FILE` lists, in JSON: id, class, rank, addresses", func(s string) error {
		list, err := trust.ReadMembers(s)
		if err == nil && list == nil {
			if _, err = os.Stat(s); err == nil {
				err = fmt.Errorf("%s names no peers", s)
			}
		}
		o.Peers = append(o.Peers, list...)
		return err
	})
	f.Func("await", "begin when `CLASS=N` is reached: when N peers of the class are connected, as in client=3; several times", o.await)
	f.BoolVar(&o.Once, "once", o.Once, "end when what was begun at the start has ended; with exit code 1 if it failed")
	f.BoolVar(&o.TrustFirst, "trust-first", o.TrustFirst, "trust the peer at a -join address, the first time")
	f.StringVar(&o.Events, "events", o.Events, "write what happens as JSON lines to `FILE`; - is standard output")
	f.StringVar(&o.Log, "log", o.Log, "write logs to standard error as `FORMAT`: text, json, none")
	f.StringVar(&o.Level, "log-level", o.Level, "log what is of `LEVEL` or above: debug, info, warn, error")
	f.BoolVar(&o.Edge, "edge", o.Edge, "use the limits of a small device")
	f.IntVar(&o.Connections, "connections", o.Connections, "send large values to a peer on `N` parallel connections, at most 8; 1: on none (default: as many as there are processors to encrypt, up to 4, and 8 to a peer far away)")
	f.StringVar(&o.Patience, "patience", o.Patience, "a peer that stalls before its hello or in a message is given up after `TIME` (default 10s, in a message 30s)")
	f.StringVar(&o.Chaos, "chaos", o.Chaos, "do `HARM` to envelopes that the peer sends, as in loss=5%,duplicate=1%,corrupt=1%,delay=10ms; all peers of the program must have this flag")
	f.StringVar(&o.Grace, "grace", o.Grace, "when the peer is told to stop, executions have `TIME` to end (default 10s)")
}

// listFlag defines a flag that may be given several times. Its first use replaces the list of the configuration
// file.
func (o *Options) listFlag(f *flag.FlagSet, list *[]string, name, usage string) {
	given := false
	f.Func(name, usage, func(s string) error {
		if !given {
			*list, given = nil, true
		}
		*list = append(*list, s)
		return nil
	})
}

func (o *Options) await(s string) error {
	class, count, ok := strings.Cut(s, "=")
	n, err := strconv.Atoi(count)
	if !ok || class == "" || err != nil || n < 0 {
		return errors.New("want CLASS=N")
	}
	if o.Await == nil {
		o.Await = map[string]int{}
	}
	o.Await[class] = n
	return nil
}

// configOf finds the configuration file among the arguments. It is read before the other flags.
func configOf(args []string) string {
	for i, a := range args {
		name, value, ok := strings.Cut(strings.TrimPrefix(a, "-"), "=")
		switch {
		case a == "--":
			return ""
		case strings.TrimPrefix(name, "-") != "config" || !strings.HasPrefix(a, "-"):
		case ok:
			return value
		case i+1 < len(args):
			return args[i+1]
		}
	}
	return ""
}

func (o *Options) readConfig(file string) error {
	if file == "" {
		return nil
	}
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("-config: %w", err)
	}
	defer f.Close()
	d := json.NewDecoder(f)
	d.DisallowUnknownFields()
	if err := d.Decode(o); err != nil {
		return fmt.Errorf("%s: %w", file, state.JSONError(err))
	}
	return nil
}

// fingerprint returns the value of -accept.
func (o *Options) fingerprint() ([]byte, error) {
	b, err := hex.DecodeString(o.Accept)
	if err != nil {
		return nil, fmt.Errorf("-accept %s: %w: want the fingerprint that the command version of the other program prints", o.Accept, err)
	}
	return b, nil
}

// times returns the default time limits, changed by the options, and how long executions may take to end when the host is
// told to stop.
func (o *Options) times() (t connection.Times, grace time.Duration, err error) {
	t, grace = connection.DefaultTimes(), 10*time.Second
	set := func(flag, value string, to ...*time.Duration) error {
		if value == "" {
			return nil
		}
		d, err := time.ParseDuration(value)
		if err != nil || d <= 0 {
			return fmt.Errorf("-%s %s: want a time such as 10s", flag, value)
		}
		for _, p := range to {
			*p = d
		}
		return nil
	}
	return t, grace, errors.Join(set("grace", o.Grace, &grace), set("patience", o.Patience, &t.Hello, &t.Stall))
}

// usageError is a mistake on the command line.
type usageError struct{ error }
