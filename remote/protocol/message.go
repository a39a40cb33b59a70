package protocol

import "github.com/bbgen/bbgen/runtime/tensor"

// Kind is the kind of a message.
type Kind uint8

// The messages of a client, followed by those of a server. Tensors have numbers that the client chooses, each
// once in a session.
const (
	Open     Kind = iota + 1 // the first one: begins a session, or resumes that in Blob
	Register                 // Out[0] is the tensor that follows
	Execute                  // Out are the results of the operator Name for In
	Graph                    // the ONNX model after the message has the name Blob, its fingerprint
	Run                      // Out are the results of the graph Blob for In
	Read                     // requests the tensors In, as they are now
	Sync                     // requests an answer when all earlier tasks of the stream have ended
	Release                  // In are not needed any more
	Forget                   // the graph Blob is not needed any more
	Seed                     // sets the seed for later random numbers to Number
	Describe                 // requests the server's properties
	Offer                    // the peer Address may fetch In[0] with the ticket Blob, Number times
	Fetch                    // Out[0] is the tensor that the server at Address sends for the ticket Blob
	Ping                     // requests an immediate answer; it is not numbered
	Close                    // ends the session

	Opened   // the session is Blob; all messages up to Ack have been received
	Answer   // to the message To: tensors after the message, or a failure
	Received // all messages up to Ack have been received
)

// Message is a message of either end. The comments of the kinds tell which fields they have.
type Message struct {
	Kind    Kind
	Seq     uint64 // the number of the message; 0 for those that are not numbered
	Ack     uint64 // all of the other end's messages up to this one have been received
	To      uint64 // the answered message
	Stream  uint32 // messages of one stream are executed in order
	In, Out []uint64
	Name    string
	Domain  string
	Version uint32
	Attrs   []Attr
	Blob    []byte
	Address string
	Number  uint64
	Tensors []Type // of the data after the message, in their order
	Bytes   uint64 // the number of bytes after the message
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
	Bytes uint64 // of its elements, in the encoding after a message
}

// Failure is the reason why an operation failed.
type Failure struct {
	Code Code
	Op   string // the operator; or register, run, read …
	Text string
}

// Code is the kind of a failure.
type Code uint8

// The kinds of failures.
const (
	Invalid  Code = iota // the request is invalid, or impossible for its data
	NoMemory             // it exceeds the client's limit
	Lost                 // the session has ended, with all its tensors
	Refused              // the ticket is not valid for that
	Unknown              // no such tensor or graph
)

// Limits bound received messages.
type Limits struct {
	Message int    // bytes of a message without the data after it
	List    int    // tensors in a message, and attributes
	Name    int    // bytes of a name
	Bytes   uint64 // after a message
}

// DefaultLimits returns the limits of both ends.
func DefaultLimits() Limits {
	return Limits{Message: 1 << 20, List: 1 << 14, Name: 1 << 10, Bytes: 1 << 40}
}
