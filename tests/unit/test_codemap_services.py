"""gRPC services and consumers of messages, each with its handler and line; look-alikes are left alone."""

from __future__ import annotations

import pytest

from brain_dagster.codemap.base import EntryKind
from tests.support.codemap import Case, found

PROTO = """\
syntax = "proto3";
package shop.v1;

// Places orders; rpc in a comment is none.
service Orders {
  rpc Place (PlaceRequest) returns (PlaceReply);
  rpc Watch (stream google.protobuf.Empty) returns (stream Order) { option (x) = true; }
}

message NotAService { string service = 1; }
"""

GO_GRPC = """\
package main

type server struct {
	pb.UnimplementedGreeterServer
}

func (s *server) SayHello(ctx context.Context, in *pb.HelloRequest) (*pb.HelloReply, error) {}
func (s *server) Stream(stream pb.Greeter_StreamServer) error {}
func (s *server) helper(ctx context.Context, x *int) {}

func main() {
	pb.RegisterGreeterServer(s, &server{})
	pb.RegisterOtherServer(s, other.New())
	pb.RegisterUnknownServer(s, impl)
}
"""

PYTHON_GRPC = """\
class Greeter(helloworld_pb2_grpc.GreeterServicer):
    def SayHello(self, request, context): ...
    async def SayHelloStream(self, request_iterator, context): ...
    def Helper(self, name, context): ...
    def _private(self, request, context): ...
"""

JAVA_GRPC = """\
class GreeterService extends GreeterGrpc.GreeterImplBase {
    @Override
    public void sayHello(HelloRequest request, StreamObserver<HelloReply> observer) {}
    private void helper(String x) {}
}
"""

KOTLIN_GRPC = """\
class Greeter : GreeterGrpcKt.GreeterCoroutineImplBase() {
    override suspend fun sayHello(request: HelloRequest): HelloReply = reply
    fun helper(x: String) {}
}
"""

DOTNET_GRPC = """\
public class GreeterService : Greeter.GreeterBase
{
    public override Task<HelloReply> SayHello(HelloRequest request, ServerCallContext context) => null;
    public override string ToString() => "";
}
"""

RUST_GRPC = """\
#[tonic::async_trait]
impl Greeter for MyGreeter {
    async fn say_hello(&self, request: Request<HelloRequest>) -> Result<Response<HelloReply>, Status> {}
}

impl Display for MyGreeter {}
"""

NODE_GRPC = """\
server.addService(hello.Greeter.service, { sayHello: sayHello, sayBye(call, callback) {} });
"""

NEST = """\
@Controller()
export class MathController {
  @MessagePattern({ cmd: 'sum' })
  sum(data: number[]) {}

  @EventPattern('user_created')
  async created(data) {}

  @GrpcMethod('HeroesService', 'FindOne')
  findOne(data) {}

  @GrpcMethod('HeroesService')
  findAll(data) {}
}

@Processor('audio')
export class AudioConsumer extends WorkerHost {
  async process(job) {}
}

@Processor({ name: 'video' })
class Video {
  @Process('encode')
  encode(job) {}
}
"""

CELERY = """\
from celery import shared_task

@app.task(name="mail.send", bind=True)
def send(self): ...

@shared_task
def clean(): ...

class Jobs:
    @app.task
    def inner(self): ...
"""

PREFECT = "from prefect import task\n\n@flow.task\ndef not_celery(): ...\n"

KAFKA = """\
from kafka import KafkaConsumer

TOPIC = "orders"

class Reader:
    def run(self):
        consumer = KafkaConsumer(TOPIC, "payments", group_id="g")
        consumer.subscribe(["late"])
"""

RABBIT = """\
channel.basic_consume(queue="hello", on_message_callback=callback, auto_ack=True)
channel.basic_consume("second", handle)
"""

NATS = """\
import nats

async def main(nc):
    await nc.subscribe("greet.*", cb=on_greet)
"""

DRAMATIQ = """\
import dramatiq
from rq.decorators import job

@dramatiq.actor(queue_name="mails")
def send(): ...

@job("low", connection=redis)
def later(): ...
"""

FASTSTREAM = """\
from faststream.kafka import KafkaBroker

@broker.subscriber("in", "second")
async def handle(message): ...
"""

JAVA_LISTENERS = """\
class Listeners {
    static final String TOPIC = "orders";

    @KafkaListener(topics = {TOPIC, "payments"}, groupId = "g")
    void onOrder(Order order) {}

    @RabbitListener(queues = "mails")
    void onMail(String text) {}

    @JmsListener(destination = "jobs")
    void onJob(String text) {}

    @KafkaListener(topics = "${topic.name}")
    void configured(String text) {}
}
"""

KOTLIN_LISTENER = """\
class Listener {
    @KafkaListener(topics = ["orders"])
    fun onOrder(order: Order) {}
}
"""

NODE_CONSUMERS = """\
const { Worker, Queue } = require('bullmq')
const amqp = require('amqplib')
const { Kafka } = require('kafkajs')
const mails = new Queue('mails')
new Worker('audio', async (job) => {})
mails.process(send)
channel.consume('hello', onMessage)
async function run () {
  await consumer.subscribe({ topic: 'orders', fromBeginning: true })
}
store.subscribe(() => {})
"""

BROWSER_WORKER = "const worker = new Worker('worker.js', { type: 'module' })\n"

SIDEKIQ = """\
class HardWorker
  include Sidekiq::Worker
  sidekiq_options queue: :critical

  def perform(id)
  end
end

class MailJob < ApplicationJob
  queue_as :mails
  def perform; end
end

class Plain
  def perform; end
end
"""

GO_CONSUMERS = """\
package worker

import "github.com/nats-io/nats.go"

func (w *Worker) start() {
	nc.Subscribe("orders", w.onOrder)
	nc.QueueSubscribe("mails", "group", func(m *nats.Msg) {})
	events.Subscribe(handler)
}
"""

GO_KAFKA = """\
package worker

import "github.com/segmentio/kafka-go"

func run() {
	r := kafka.NewReader(kafka.ReaderConfig{Brokers: brokers, Topic: "orders"})
}
"""

MASS_TRANSIT = """\
public class OrderConsumer : IConsumer<OrderPlaced>
{
    public Task Consume(ConsumeContext<OrderPlaced> context) => Task.CompletedTask;
}
"""

MESSENGER = """\
<?php
#[AsMessageHandler]
class SmsHandler
{
    public function __invoke(SmsNotification $message) {}
}

class SendMail implements ShouldQueue
{
    public function handle(): void {}
}
"""

CASES: dict[tuple[EntryKind, str], Case] = {
    ("rpc", "proto"): (
        "api/orders.proto",
        PROTO,
        [
            ("shop.v1.Orders/Place", "PlaceRequest -> PlaceReply", 6),
            ("shop.v1.Orders/Watch", "stream google.protobuf.Empty -> stream Order", 7),
        ],
    ),
    ("rpc", "go"): (
        "main.go",
        GO_GRPC,
        [("Greeter/SayHello", "server.SayHello", 7), ("Greeter/Stream", "server.Stream", 8)],
    ),
    ("rpc", "python"): (
        "server.py",
        PYTHON_GRPC,
        [
            ("Greeter/SayHello", "Greeter.SayHello", 2),
            ("Greeter/SayHelloStream", "Greeter.SayHelloStream", 3),
        ],
    ),
    ("rpc", "java"): ("Greeter.java", JAVA_GRPC, [("Greeter/SayHello", "GreeterService.sayHello", 3)]),
    ("rpc", "kotlin"): ("Greeter.kt", KOTLIN_GRPC, [("Greeter/SayHello", "Greeter.sayHello", 2)]),
    ("rpc", "dotnet"): ("Greeter.cs", DOTNET_GRPC, [("Greeter/SayHello", "GreeterService.SayHello", 3)]),
    ("rpc", "rust"): ("src/greeter.rs", RUST_GRPC, [("Greeter/SayHello", "MyGreeter.say_hello", 3)]),
    ("rpc", "node"): (
        "server.js",
        NODE_GRPC,
        [("Greeter/SayHello", "sayHello", 1), ("Greeter/SayBye", "sayBye", 1)],
    ),
    ("rpc", "nest"): (
        "math.controller.ts",
        NEST,
        [
            ("HeroesService/FindOne", "MathController.findOne", 9),
            ("HeroesService/FindAll", "MathController.findAll", 12),
        ],
    ),
    ("consumer", "nest"): (
        "math.controller.ts",
        NEST,
        [
            ("sum", "MathController.sum", 3),
            ("user_created", "MathController.created", 6),
            ("audio", "AudioConsumer.process", 18),
            ("video", "Video.encode", 23),
        ],
    ),
    ("consumer", "celery"): (
        "tasks.py",
        CELERY,
        [("mail.send", "send", 3), ("clean", "clean", 6), ("Jobs.inner", "Jobs.inner", 10)],
    ),
    ("consumer", "another task"): ("flows.py", PREFECT, []),
    ("consumer", "kafka"): (
        "reader.py",
        KAFKA,
        [("orders", "Reader.run", 7), ("payments", "Reader.run", 7), ("late", "Reader.run", 8)],
    ),
    ("consumer", "rabbit"): ("receive.py", RABBIT, [("hello", "callback", 1), ("second", "handle", 2)]),
    ("consumer", "nats"): ("main.py", NATS, [("greet.*", "on_greet", 4)]),
    ("consumer", "dramatiq and rq"): ("tasks.py", DRAMATIQ, [("send", "send", 4), ("low", "later", 7)]),
    ("consumer", "faststream"): ("app.py", FASTSTREAM, [("in", "handle", 3), ("second", "handle", 3)]),
    ("consumer", "java"): (
        "Listeners.java",
        JAVA_LISTENERS,
        [
            ("orders", "Listeners.onOrder", 4),
            ("payments", "Listeners.onOrder", 4),
            ("mails", "Listeners.onMail", 7),
            ("jobs", "Listeners.onJob", 10),
        ],
    ),
    ("consumer", "kotlin"): ("Listener.kt", KOTLIN_LISTENER, [("orders", "Listener.onOrder", 2)]),
    ("consumer", "node"): (
        "worker.js",
        NODE_CONSUMERS,
        [
            ("audio", "(inline)", 5),
            ("mails", "send", 6),
            ("hello", "onMessage", 7),
            ("orders", "run", 9),
        ],
    ),
    ("consumer", "a browser's worker"): ("page.js", BROWSER_WORKER, []),
    ("consumer", "ruby"): (
        "jobs.rb",
        SIDEKIQ,
        [("HardWorker", "HardWorker.perform", 5), ("MailJob", "MailJob.perform", 11)],
    ),
    ("consumer", "go"): (
        "worker.go",
        GO_CONSUMERS,
        [("orders", "Worker.onOrder", 6), ("mails", "(inline)", 7)],
    ),
    ("consumer", "go and kafka"): ("worker.go", GO_KAFKA, [("orders", "run", 6)]),
    ("consumer", "dotnet"): ("Orders.cs", MASS_TRANSIT, [("OrderPlaced", "OrderConsumer.Consume", 3)]),
    ("consumer", "php"): (
        "handlers.php",
        MESSENGER,
        [("SmsNotification", "SmsHandler.__invoke", 5), ("SendMail", "SendMail.handle", 10)],
    ),
}


@pytest.mark.parametrize("kind, case", [(kind, case) for (kind, _), case in CASES.items()],
                         ids=[f"{kind} {name}" for kind, name in CASES])  # fmt: skip
def test_services_and_consumers_have_name_handler_and_line(kind: EntryKind, case: Case) -> None:
    path, text, expected = case
    assert found(path, text, kind) == expected
