// Lends a translator to toolcall-conformance: questions come on standard input, answers go to standard output.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime/debug"
	"strings"
)

// Body is a request or reply as it stands on the wire; decode looks into it.
type Body = json.RawMessage

type Headers = map[string]string

type Route struct {
	Client        string `json:"client"`
	Upstream      string `json:"upstream"`
	ClientModel   string `json:"client_model"`
	UpstreamModel string `json:"upstream_model"`
	Stream        bool   `json:"stream"`
}

// Unsupported says that this route or operation is not done.
type Unsupported string

func (why Unsupported) Error() string { return string(why) }

// Refused says that this input is not taken, and why.
type Refused string

func (why Refused) Error() string { return string(why) }

// ---------------------------------------------------------------- YOUR TRANSLATOR

const (
	name    = "my-translator"
	version = "0.1.0"
)

// Session is one conversation: what it needs to remember between its turns, it keeps here. Delete the methods that you
// do not have: the methods that are there are what you say that you do.
type Session struct {
	route Route
}

func open(route Route) (*Session, error) {
	if route.Client != route.Upstream {
		return nil, Unsupported(fmt.Sprintf("no %s-to-%s yet", route.Client, route.Upstream))
	}
	return &Session{route}, nil
}

// Request translates the client's request for the upstream.
func (session *Session) Request(body Body) (Body, error) {
	return body, nil
}

// Response translates the upstream's reply for the client.
func (session *Session) Response(body Body) (Body, error) {
	return body, nil
}

// Stream translates the upstream's stream for the client. Write all output that is ready before you read on. A piece
// may end anywhere, even inside a character. If the upstream's connection is lost, Read returns io.ErrUnexpectedEOF.
func (session *Session) Stream(upstream io.Reader, client io.Writer) error {
	_, err := io.Copy(client, upstream)
	return err
}

// Error translates the upstream's error for the client.
func (session *Session) Error(status int, headers Headers, body Body) (int, Headers, Body, error) {
	return status, headers, body, nil
}

// Within one format (client and upstream are the same) there is more that you may have. Uncomment what you do.

// ToolCalls returns the calls of a reply: a list of {id, name, arguments}, with keys of your own if you like.
// func (session *Session) ToolCalls(reply Body) (Body, error) { return nil, Unsupported("no tool calls yet") }

// ToolResults returns what follows that reply in the next request (messages, items or contents).
// func (session *Session) ToolResults(calls, results Body) (Body, error) { return nil, Unsupported("no tool results yet") }

// McpTools returns the tools of a request, for what an MCP server answered to tools/list.
// func (session *Session) McpTools(listed Body) (Body, error) { return nil, Unsupported("no MCP tools yet") }

// McpResult returns what follows a reply with this call, for a CallToolResult of an MCP server.
// func (session *Session) McpResult(call, result Body) (Body, error) { return nil, Unsupported("no MCP results yet") }

// Otel returns {input_messages, output_messages, system_instructions, tool_definitions} for OpenTelemetry.
// func (session *Session) Otel(request, reply Body) (Body, error) { return nil, Unsupported("no OpenTelemetry yet") }

// decode reads JSON into maps and lists, or into structs of yours. A number in an interface is a json.Number: a float64
// does not hold every whole number of 64 bits.
func decode(body Body, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	return decoder.Decode(into)
}

// ---------------------------------------------------------------- the protocol; no need to change it

type question struct {
	Op      string          `json:"op"`
	Seq     json.RawMessage `json:"seq"`
	Session string          `json:"session"`
	Route   Route           `json:"route"`
	Status  int             `json:"status"`
	Headers Headers         `json:"headers"`
	Body    Body            `json:"body"`
	Given   []Body          `json:"arguments"`
	Chunk   []byte          `json:"chunk"` // base64, as encoding/json has it
	End     string          `json:"end"`
}

type fields = map[string]any

// methods has the method for each operation of the protocol.
var methods = map[string]string{
	"request":      "Request",
	"response":     "Response",
	"error":        "Error",
	"stream":       "Stream",
	"tool_calls":   "ToolCalls",
	"tool_results": "ToolResults",
	"mcp_tools":    "McpTools",
	"mcp_result":   "McpResult",
	"otel":         "Otel",
}

// find returns the session's method for an operation; nil if there is none.
func find(session *Session, operation string) any {
	found := reflect.ValueOf(session).MethodByName(methods[operation])
	if !found.IsValid() {
		return nil
	}
	return found.Interface()
}

var sessions = map[string]*Session{}
var answers = os.Stdout
var input = bufio.NewReader(os.Stdin) // a bufio.Scanner would stop at the first long line

// answer returns the answer to a message; after a stream message is the last one of that stream.
func answer(message *question) (result fields, err error) {
	switch message.Op {
	case "hello":
		return fields{"protocol": 1, "name": name, "version": version}, nil
	case "open":
		session, err := open(message.Route)
		if err != nil {
			return nil, err
		}
		sessions[message.Session] = session
		return fields{"operations": declared(session)}, nil
	case "close":
		delete(sessions, message.Session)
		return fields{}, nil
	}
	session := sessions[message.Session]
	if session == nil {
		return nil, fmt.Errorf("no session %s", message.Session)
	}
	return ask(session, message)
}

// declared returns the operations of a session: those whose methods it has.
func declared(session *Session) []string {
	names := []string{}
	for operation := range methods {
		if find(session, operation) != nil {
			names = append(names, operation)
		}
	}
	return names
}

// ask calls the session's method for a message.
func ask(session *Session, message *question) (fields, error) {
	given, key := []Body{message.Body}, "body"
	if message.Given != nil {
		given, key = message.Given, "value"
	}
	operation := strings.TrimSuffix(message.Op, "-open")
	switch call := find(session, operation).(type) {
	case nil:
		return nil, Unsupported("no operation " + operation)
	case func(Body) (Body, error):
		body, err := call(given[0])
		return fields{key: body}, err
	case func(Body, Body) (Body, error):
		body, err := call(given[0], given[1])
		return fields{key: body}, err
	case func(int, Headers, Body) (int, Headers, Body, error):
		status, headers, body, err := call(message.Status, message.Headers, message.Body)
		return fields{"status": status, "headers": headers, "body": body}, err
	case func(io.Reader, io.Writer) error:
		return play(call, message), nil
	default:
		return nil, fmt.Errorf("Session.%s is a %T; make it take and return what it did in the starter", methods[operation], call)
	}
}

// stream reads the upstream's stream and writes the client's. Before it reads on it answers the last piece.
type stream struct {
	message *question // the message to answer next
	rest    []byte    // of the piece in that message
	output  [][]byte  // the output since the last answer
}

func (s *stream) Read(into []byte) (int, error) {
	for len(s.rest) == 0 {
		if s.message.Op != "stream-end" {
			s.advance()
		}
		if s.message.Op == "stream-end" && s.message.End == "lost" {
			return 0, io.ErrUnexpectedEOF
		}
		if s.message.Op == "stream-end" {
			return 0, io.EOF
		}
	}
	count := copy(into, s.rest)
	s.rest = s.rest[count:]
	return count, nil
}

func (s *stream) Write(piece []byte) (int, error) {
	s.output = append(s.output, append([]byte{}, piece...))
	return len(piece), nil
}

// advance answers, and waits for the next piece or the end.
func (s *stream) advance() {
	send(s.message.Seq, fields{"chunks": s.output})
	*s.message = next()
	s.rest, s.output = s.message.Chunk, [][]byte{}
}

func play(translate func(io.Reader, io.Writer) error, message *question) fields {
	s := &stream{message, nil, [][]byte{}}
	err := guarded(func() error { return translate(s, s) })
	for err == nil && message.Op != "stream-end" { // the translator stopped reading
		s.advance()
	}
	result := fields{}
	if err != nil {
		result = failure(err)
	}
	result["chunks"] = s.output
	return result
}

// panicked is a panic as an error.
type panicked struct{ reason, stack string }

func (why panicked) Error() string { return why.reason }

func guarded(call func() error) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = panicked{fmt.Sprint("panic: ", reason), string(debug.Stack())}
		}
	}()
	return call()
}

func failure(err error) fields {
	var unsupported Unsupported
	var refused Refused
	var panicked panicked
	switch {
	case errors.As(err, &panicked):
		return fields{"failed": err.Error(), "traceback": panicked.stack}
	case errors.As(err, &unsupported):
		return fields{"unsupported": err.Error()}
	case errors.As(err, &refused):
		return fields{"refused": err.Error()}
	}
	return fields{"failed": err.Error()}
}

func line(seq json.RawMessage, result fields) []byte {
	result["seq"] = seq
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(result); err != nil { // the translator returned something that is not JSON
		return line(seq, fields{"failed": err.Error()})
	}
	return text.Bytes()
}

func send(seq json.RawMessage, result fields) {
	if _, err := answers.Write(line(seq, result)); err != nil {
		os.Exit(0) // the runner has left
	}
}

func next() question {
	text, err := input.ReadBytes('\n')
	if err != nil {
		os.Exit(0) // the runner has left
	}
	var message question
	if err := json.Unmarshal(text, &message); err != nil {
		fmt.Fprintln(os.Stderr, "not a question:", err)
		os.Exit(1)
	}
	return message
}

func main() {
	os.Stdout = os.Stderr // what else is printed goes to standard error: standard output belongs to the protocol
	for {
		message := next()
		var result fields
		err := guarded(func() (err error) {
			result, err = answer(&message)
			return err
		})
		if err != nil {
			result = failure(err)
		}
		send(message.Seq, result)
	}
}
