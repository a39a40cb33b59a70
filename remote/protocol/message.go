package protocol

import "github.com/bbgen/bbgen/runtime/tensor"

// Kind says what a message is.
type Kind uint8

// What a client says, and under it what a server does. Names of tensors are numbers that
// the client gives, each once in a session.
const (
	Open     Kind = iota + 1 // the first: a new session, or that of Blob goes on
	Register                 // Out[0] is the tensor that follows
	Execute                  // Out are what the operator Name makes of In
	Graph                    // the ONNX model that follows gets the name Blob, its fingerprint
	Run                      // Out are what the graph Blob makes of In
	Read                     // the tensors In are wanted, all as they are now
	Sync                     // an answer is wanted when all before it on the stream is done
	Release                  // In are not needed any more
	Forget                   // the graph Blob is not needed any more
	Seed                     // random numbers are drawn from the stream Number from here on
	Describe                 // the server's properties are wanted
	Offer                    // the peer Address may fetch In[0] with the ticket Blob, Number times
	Fetch                    // Out[0] is what the server at Address gives for the ticket Blob
	Ping                     // an answer is wanted at once; it is not numbered
	Close                    // the session is over

	Opened   // the session is Blob; all up to Ack has come
	Answer   // to the message To: tensors that follow, or a failure
	Received // all up to Ack has come
)

// Message is what either end says. Which fields a kind has is said there.
type Message struct {
	Kind    Kind
	Seq     uint64 // the number of the message; 0 for those that are not numbered
	Ack     uint64 // all of the other end's messages up to this have come
	To      uint64 // which message is answered
	Stream  uint32 // messages of one stream are done in order
	In, Out []uint64
	Name    string
	Domain  string
	Version uint32
	Attrs   []Attr
	Blob    []byte
	Address string
	Number  uint64
	Tensors []Type // what follows, one behind the other
	Bytes   uint64 // how many bytes follow
	Failure *Failure
}

// Attr is a named value: an int64, float64, string, []int64, []float64, []string or
// *tensor.Tensor.
type Attr struct {
	Name  string
	Value any
}

// Type is a tensor without its elements.
type Type struct {
	DType tensor.DType
	Shape []int
	Bytes uint64 // of its elements, as they follow
}

// Failure is why something was not done.
type Failure struct {
	Code Code
	Op   string // the operator; or register, run, read …
	Text string
}

// Code says what kind of failure it is.
type Code uint8

// The kinds of failures.
const (
	Invalid  Code = iota // what was asked for makes no sense, or data make it impossible
	NoMemory             // the client may not have so much
	Lost                 // the session is gone, and all in it
	Refused              // the ticket is not good for that
	Unknown              // no such tensor or graph
)

// Limits bound what is read from outside.
type Limits struct {
	Message int    // bytes of a message without what follows it
	List    int    // tensors that a message names, and attributes
	Name    int    // bytes of a name
	Bytes   uint64 // that may follow a message
}

// DefaultLimits are those of both ends.
func DefaultLimits() Limits {
	return Limits{Message: 1 << 20, List: 1 << 14, Name: 1 << 10, Bytes: 1 << 40}
}
