#import <Foundation/Foundation.h>
#import "LTLamp.h"
@import CoreGraphics;

@class LTTower;

NS_ASSUME_NONNULL_BEGIN

static NSString *const LTLampErrorDomain = @"org.example.lamp";

/// What a lamp can do while nobody looks.
typedef NS_ENUM(NSInteger, LTLampState) {
    LTLampStateDark,
    LTLampStateFlashing,
    LTLampStateBroken,
};

typedef void (^LTFlashHandler)(LTLampState state, NSTimeInterval length);

/**
 * Hears of every flash.
 */
@protocol LTLampDelegate <NSObject>
- (void)lamp:(LTLamp *)lamp didFlashFor:(NSTimeInterval)length;
@optional
/// Only lamps with a sensor know this.
- (BOOL)lamp:(LTLamp *)lamp shouldFlashInLight:(CGFloat)lux atTime:(NSDate *)time;
- (void)lampDidBreak:(LTLamp *)lamp withError:(nullable NSError *)error afterHours:(NSUInteger)hours;
@end

@interface LTLamp ()
@property (nonatomic, copy) NSArray<NSNumber *> *rhythm;
@property (nonatomic, weak, nullable) id<LTLampDelegate> delegate;
@end

static NSTimeInterval LTRoundedLength(NSTimeInterval length) {
    if (length < 0.1) {
        return 0.1;
    }
    return round(length * 10.0) / 10.0;
}

/// A lamp of a lighthouse and its rhythm.
@implementation LTLamp {
    NSUInteger _flashes;
    LTLampState _state;
}

@synthesize rhythm = _rhythm;

+ (instancetype)lampWithRhythm:(NSArray<NSNumber *> *)rhythm {
    LTLamp *lamp = [[self alloc] init];
    lamp.rhythm = rhythm;
    return lamp;
}

#pragma mark - Flashing

// Darkness comes first.
- (void)flashTimes:(NSUInteger)times handler:(nullable LTFlashHandler)handler {
    for (NSUInteger i = 0; i < times; i++) {
        [self.delegate lamp:self didFlashFor:1];
        handler(_state, 1);
    }
}

- (BOOL)breakWithError:(NSError **)error {
    _state = LTLampStateBroken;
    if (error) {
        *error = [NSError errorWithDomain:LTLampErrorDomain code:1 userInfo:nil];
    }
    return NO;
}

- (NSUInteger)count {
    return _flashes;
}

@end

@implementation LTLamp (Logbook)

- (NSString *)logLineForKeeper:(NSString *)keeper {
    return [NSString stringWithFormat:@"%@: %lu flashes", keeper, (unsigned long)self.count];
}

@end

NS_ASSUME_NONNULL_END
